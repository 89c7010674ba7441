import { crdYaml, type Crd } from '../../src/kube/index.ts'
import { openDomains } from '../../src/processes/domains.ts'

export interface CrdFile {
  readonly path: string
  readonly text: string
}

/** As one would apply it. */
const plain = (crd: Crd): CrdFile => ({ path: `deploy/crds/${crd.manifest.metadata.name}.yaml`, text: crdYaml(crd) })

/**
 * As the chart brings it: Helm upgrades what is a template, unlike what lies in its folder `crds`, and leaves it there when the
 * chart is uninstalled, for all objects of the kind would go with it.
 */
export function charted(crd: Crd): CrdFile {
  const { metadata } = crd.manifest
  const kept = { ...metadata, annotations: { ...metadata.annotations, 'helm.sh/resource-policy': 'keep' } }
  const text = crdYaml({ ...crd, manifest: { ...crd.manifest, metadata: kept } }).replaceAll('{{', '{{ "{{" }}')
  return {
    path: `deploy/chart/templates/crds/${metadata.name}.yaml`,
    text: `{{- if .Values.crds.install }}\n${text}{{- end }}\n`,
  }
}

/** The custom resource definitions of all domains. */
export const CRD_FILES: readonly CrdFile[] = (await openDomains())
  .flatMap(({ crds = [] }) => crds)
  .flatMap((crd) => [plain(crd), charted(crd)])
