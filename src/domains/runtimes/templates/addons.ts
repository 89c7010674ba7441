import type { ClassRuntimeSpec } from '../class-runtime.ts'
import type { RenderProblem } from './template.ts'

export const ADDONS = ['odgm'] as const

export const ODGM_PORT = 8080

/** Addons may be absent only where the API server has not put its default in. */
export const hasOdgm = ({ addons = ['odgm'] }: ClassRuntimeSpec): boolean => addons.includes('odgm')

export const addonProblems = ({ addons = [] }: ClassRuntimeSpec): RenderProblem[] =>
  addons.flatMap((addon, index) =>
    ADDONS.some((known) => known === addon)
      ? []
      : [{ field: `spec.addons[${index}]`, message: `unknown addon "${addon}"; known are: ${ADDONS.join(', ')}` }],
  )
