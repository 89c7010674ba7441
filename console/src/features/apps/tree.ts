import type { ResourceView } from '../../lib/api/contract.ts'

export interface TreeNode {
  readonly resource: ResourceView
  readonly children: readonly TreeNode[]
}

/** Objects beneath their owners, worst first, so that trouble is seen without scrolling. */
export function treeOf(resources: readonly ResourceView[]): readonly TreeNode[] {
  const ids = new Set(resources.map(({ id }) => id))
  const beneath = Map.groupBy(resources, ({ parent, id }) =>
    parent !== null && ids.has(parent) && parent !== id ? parent : '',
  )
  const grow = (parent: string, above: ReadonlySet<string>): readonly TreeNode[] =>
    (beneath.get(parent) ?? [])
      .filter(({ id }) => !above.has(id))
      .map((resource) => ({ resource, children: grow(resource.id, new Set([...above, resource.id])) }))
      .toSorted((a, b) => rank(a) - rank(b) || a.resource.id.localeCompare(b.resource.id))
  return grow('', new Set())
}

const ORDER: readonly ResourceView['health'][] = ['failing', 'missing', 'progressing', 'unknown', 'ready']

/** A node is as bad as the worst beneath it. */
const rank = ({ resource, children }: TreeNode): number =>
  Math.min(ORDER.indexOf(resource.health), ...children.map(rank))
