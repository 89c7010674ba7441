import type { CoreV1 } from '../../../kube/index.ts'

export type Env = Readonly<Record<string, string>>

/**
 * Sorted by name and each name once, so that the same truth is the same text; later maps win.
 * Kubernetes would replace `$(NAME)` inside a value, here a value means itself.
 */
export const envOf = (...maps: readonly Env[]): CoreV1.EnvVar[] =>
  Object.entries(Object.assign({}, ...maps) as Env)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value: value.replaceAll('$(', '$$$$(') }))
