import type { KubeObject } from '../../../kube/index.ts'

/** A kind in one text: `apps/v1/Deployment`. */
export const kindText = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string =>
  `${apiVersion}/${kind}`

export const kindIn = (text: string): Pick<KubeObject, 'apiVersion' | 'kind'> => {
  const slash = text.lastIndexOf('/')
  return { apiVersion: text.slice(0, slash), kind: text.slice(slash + 1) }
}
