import { useCallback, useMemo, useState } from 'react'
import type { TemplateFormView } from '../../lib/api/contract.ts'
import { checkForm } from './check.ts'
import type { FormHandle } from './form-context.ts'
import { pointerOf } from './json.ts'
import type { JsonObject, Path } from './json.ts'
import { initialState, setAt, writtenValues } from './state.ts'
import type { FormState } from './state.ts'

interface SchemaFormOptions {
  readonly form: TemplateFormView
  readonly written?: JsonObject
  readonly held?: readonly string[]
  readonly readOnly?: boolean
  /** Called for every change, so that what was made from older values can be dropped. */
  readonly onChange?: () => void
}

export interface SchemaForm extends FormHandle {
  readonly schema: JsonObject
  /** Everything that is wrong, shown or not. */
  readonly invalid: number
  /** What would be sent. */
  readonly written: JsonObject
  /** Shows every issue, as when the form is submitted. */
  readonly reveal: () => void
  /** What the server refused, by pointer; each is forgotten when its field changes. */
  readonly refuse: (issues: ReadonlyMap<string, string>) => void
}

/** The state of a form that is made from a schema: its values, what is wrong with them, and what is worth telling. */
export function useSchemaForm({ form, written, held, readOnly = false, onChange }: SchemaFormOptions): SchemaForm {
  const source = useMemo(
    () => ({
      schema: form.schema as JsonObject,
      defaults: form.defaults as JsonObject,
      ...(written && { written }),
      ...(held && { held }),
    }),
    [form, written, held],
  )
  const [state, setState] = useState(() => initialState(source))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [revealed, setRevealed] = useState(false)
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const hints = useMemo(() => new Map(form.ui_hints.map((hint) => [hint.pointer, hint])), [form])
  const all = useMemo(
    () => (form.enabled ? checkForm(source.schema, state) : new Map<string, string>()),
    [form, source, state],
  )

  const issues = useMemo(() => {
    const shown = [...all].filter(([pointer]) => revealed || touched.has(pointer))
    return new Map([...refused, ...shown])
  }, [all, revealed, touched, refused])

  const update = useCallback(
    (change: (before: FormState) => FormState, path: Path) => {
      setState(change)
      setRefused((before) => new Map([...before].filter(([pointer]) => pointer !== pointerOf(path))))
      onChange?.()
    },
    [onChange],
  )
  const set = useCallback<FormHandle['set']>(
    (path, value) => update((before) => setAt(before, path, value), path),
    [update],
  )
  const touch = useCallback((path: Path) => setTouched((before) => new Set([...before, pointerOf(path)])), [])

  return {
    schema: source.schema,
    defaults: source.defaults,
    state,
    hints,
    issues,
    update,
    set,
    touch,
    readOnly,
    invalid: all.size,
    written: useMemo(() => writtenValues(state, source), [state, source]),
    reveal: useCallback(() => setRevealed(true), []),
    refuse: setRefused,
  }
}
