import { stringify } from 'yaml'
import type { Crd } from '../../src/kube/index.ts'

/** The manifest as a file, for deploy/crds. */
export const crdYaml = ({ manifest }: Crd): string =>
  `# Generated; do not edit.\n${stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })}`
