import type { Actor } from '../../../store/index.ts'
import type { FieldChange } from '../../../kube/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { hiding, type Hiding } from '../masking.ts'
import { preview, type Preview } from '../preview.ts'
import type { RuntimesSettings } from '../settings.ts'
import type { ManagedKind, Observed } from '../types.ts'
import type { RuntimesView } from './view.ts'
import type { RuntimeInput, WriteChange } from './port.ts'
import { putRuntime, type WriteParts } from './write.ts'

/** The API server is asked whether it would take it, and what it would make of it; nothing is saved. */
export async function previewNow(
  parts: WriteParts,
  look: Pick<RuntimesView, 'observe' | 'served'>,
  actor: Actor,
  input: RuntimeInput,
  settings: RuntimesSettings,
): Promise<Preview & { readonly change: WriteChange }> {
  const { runtime, change } = await putRuntime(parts, actor, input, { dryRun: true })
  const seen = look.observe(input) ?? nothingAround(runtime, look.served())
  const told = preview(seen, runtime, settings)
  const secrets = hiding({ spec: { functions: [...functionsOf(seen.runtime), ...functionsOf(runtime)] } })
  const objects = told.objects.map((child) => ({
    ...child,
    fields: child.fields.map((field) => withoutSecrets(field, secrets)),
  }))
  return { ...told, objects, change }
}

/** The value of an environment variable is a field of its own: it is hidden by the name of the variable. */
function withoutSecrets(field: FieldChange, secrets: Hiding): FieldChange {
  const json = (value: unknown): unknown => secrets.hide(value).value
  const { path, before, after, ...rest } = field
  const item = path.at(-2)
  const name = path.at(-3) === 'env' && typeof item === 'object' && 'key' in item ? item.key['name'] : undefined
  const hide = (value: unknown): unknown => {
    if (path.at(-1) === 'env') return (json({ env: value }) as { env: unknown }).env
    if (name === undefined) return json(value)
    const { env } = json({ env: [{ name, value }] }) as { env: [{ value: unknown }] }
    return env[0].value
  }
  return {
    ...rest,
    path,
    ...(before !== undefined && { before: hide(before) }),
    ...(after !== undefined && { after: hide(after) }),
  }
}

const functionsOf = ({ spec }: ClassRuntime) => spec.functions ?? []

const nothingAround = (runtime: ClassRuntime, served: readonly ManagedKind[]): Observed => ({
  runtime,
  children: [],
  pods: [],
  autoscalers: [],
  routers: [],
  served,
  mutated: [],
  recent: { enforcements: 0, orphans: 0 },
  done: [],
})
