import { sameValue } from '../../kernel/index.ts'
import { leafFields, type FieldChange, type ObjectChange, type PreviewDiff } from '../../kube/index.ts'
import type { ClassRuntime } from './class-runtime.ts'
import { differs } from './apply/diff.ts'
import { plan } from './plan.ts'
import { isSameRef, refText } from './judge/child-health.ts'
import type { RuntimesSettings } from './settings.ts'
import { isStamp } from './apply/stamp.ts'
import type { RenderProblem } from './templates/template.ts'
import type { Observed, RenderedChild } from './types.ts'

export interface Preview extends PreviewDiff {
  readonly template: { readonly before: string | null; readonly after: string | null }
  readonly problems: readonly RenderProblem[]
}

/**
 * What saving `wish` would do to the children that are there. `seen` is about the runtime as it is; for one that is not there
 * yet, about `wish` itself with nothing around it.
 */
export function preview(seen: Observed, input: ClassRuntime, settings: RuntimesSettings): Preview {
  const before = plan(seen, settings)
  const after = plan(wished(seen, input), { ...settings, orphansPerMinute: Infinity })
  const template = { before: seen.runtime.status?.template ?? null, after: null }
  if ('cause' in after) {
    const [field = '', message = ''] = after.cause.message.split(/: (.*)/s)
    return { template, values: [], objects: [], problems: [{ field, message }] }
  }
  const old = 'cause' in before ? [] : before.rendered.children
  const objects = after.actions.flatMap((action): ObjectChange[] => {
    if (action.do === 'delete') return [{ object: refText(action.child), change: 'deleted', fields: [] }]
    return action.do === 'apply' ? changeOf(action.child, old, seen) : []
  })
  const { rendered } = after
  return { template: { ...template, after: after.template.id }, values: [], objects, problems: rendered.problems }
}

/** Another spec is another generation, and with it the template is chosen anew. */
function wished(seen: Observed, input: ClassRuntime): Observed {
  const { metadata, spec, status = {} } = seen.runtime
  const { generation = 0 } = metadata
  const next = sameValue(spec, input.spec) ? generation : generation + 1
  return { ...seen, runtime: { ...input, metadata: { ...input.metadata, generation: next }, status }, done: [] }
}

function changeOf(child: RenderedChild, old: readonly RenderedChild[], { children }: Observed): ObjectChange[] {
  const object = refText(child)
  const live = children.find((one) => isSameRef(one, child))
  if (live === undefined) return [{ object, change: 'created', fields: fieldsOf(child) }]
  const was = old.find((one) => isSameRef(one, child))
  const fields = [...setBy(child, live.object), ...(was ? takenBack(was, child) : [])].filter(
    ({ path }) => !isStamp(path),
  )
  return fields.length === 0 ? [] : [{ object, change: 'changed', fields }]
}

/** A new child is shown without its identity and without what ties it to its runtime. */
function fieldsOf({ object }: RenderedChild): FieldChange[] {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object
  const { labels, annotations } = metadata
  return leafFields({ metadata: { labels, annotations }, ...rest }, 'added').filter(({ path }) => !isStamp(path))
}

const setBy = ({ object }: RenderedChild, live: Observed['children'][number]['object']): FieldChange[] =>
  differs(object, live).flatMap(({ path, change, before, after }) =>
    change === 'added' ? leafFields(after, 'added', path) : [{ path, change, before, after }],
  )

/** The fields that the old spec asked for and the new one does not: applying removes them. */
const takenBack = (was: RenderedChild, is: RenderedChild): FieldChange[] =>
  differs(was.object, is.object).flatMap(({ path, change, after }) =>
    change === 'added' ? leafFields(after, 'removed', path) : [],
  )
