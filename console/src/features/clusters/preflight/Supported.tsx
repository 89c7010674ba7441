import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { FieldProblem } from './problems.ts'
import classes from './Preflight.module.css'

/** More are better chosen in the field itself. */
const MOST = 8

/** What is wrong with a field, with the values that would be accepted as buttons. Undefined: nothing is. */
export const fieldError = (problem: FieldProblem | undefined, onUse: (value: string) => void): ReactNode =>
  problem && (
    <>
      {problem.message}
      {problem.supported.length > 0 && (
        <span className={classes.supported}>
          {problem.supported.slice(0, MOST).map((value) => (
            <Button key={value} size="compact-xs" variant="default" onClick={() => onUse(value)}>
              Use {value}
            </Button>
          ))}
        </span>
      )}
    </>
  )
