import { createContext, use } from 'react'
import type { ReactNode } from 'react'
import type { UiHintView } from '../../lib/api/contract.ts'
import type { Issues } from './check.ts'
import type { Json, JsonObject, Path } from './json.ts'
import type { Alternatives, Schema } from './schema.ts'
import type { FormState } from './state.ts'

/** One place on the screen: where its value is, and where its hint is. */
export interface Place {
  readonly path: Path
  /** The same with `*` for every item. */
  readonly pattern: Path
}

export interface FieldProps {
  readonly schema: Schema
  readonly place: Place
  readonly required: boolean
  /** Instead of the hint's: the items of a list are called by their number. */
  readonly title?: string
  /** The label is spoken and not drawn: what stands above says enough. */
  readonly isQuiet?: boolean
}

/** What a kind of field is given: the description that applies now, and everything to be said beside it. */
export interface ShownField {
  /** Flat: conditions are decided. */
  readonly schema: Schema
  readonly alternatives?: Alternatives
  readonly place: Place
  readonly required: boolean
  readonly label: string
  readonly isQuiet: boolean
  readonly description: string | undefined
  readonly unit: string | undefined
  readonly error: string | undefined
}

export interface FormHandle {
  readonly state: FormState
  readonly defaults: JsonObject
  /** Only those worth showing now. */
  readonly issues: Issues
  readonly hints: ReadonlyMap<string, UiHintView>
  readonly update: (change: (before: FormState) => FormState, path: Path) => void
  readonly set: (path: Path, value: Json | undefined) => void
  /** The person has been here: from now on its issue is shown. */
  readonly touch: (path: Path) => void
  /** Nothing can be changed: the form as it will be, for those who publish it. */
  readonly readOnly: boolean
}

interface FormOnScreen extends FormHandle {
  /** Draws a place inside another one, whatever it is. */
  readonly draw: (field: FieldProps) => ReactNode
}

export const FormContext = createContext<FormOnScreen | undefined>(undefined)

export function useForm(): FormOnScreen {
  const form = use(FormContext)
  if (form === undefined) throw new Error('a field needs a SchemaForm around it')
  return form
}
