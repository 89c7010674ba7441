import type { Crd } from '../../src/kube/index.ts'
import { openDomains } from '../../src/processes/domains.ts'
import { crdYaml } from './crd-yaml.ts'

export interface CrdFile {
  readonly path: string
  readonly text: string
}

/** The manifest for `kubectl apply`. */
const plain = (crd: Crd): CrdFile => ({ path: `deploy/crds/${crd.manifest.metadata.name}.yaml`, text: crdYaml(crd) })

/**
 * The manifest in the chart. Helm upgrades templates, but not files in the folder `crds`. The annotation keeps the
 * definition when the chart is uninstalled: deleting it would delete all objects of the kind.
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
