import { Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ExplanationView } from '../../lib/api/contract.ts'
import { actionRequired } from '../../lib/api/problem.ts'
import { sentence } from '../../lib/sentence.ts'
import { Loaded } from '../feedback/Loaded.tsx'
import { Panel } from '../detail/Panel.tsx'
import classes from './Explanation.module.css'

/** Why it is as it is, what happens next, and whose move it is. */
export function Explanation({ query }: { readonly query: UseQueryResult<ExplanationView> }) {
  return (
    <Panel title="Why">
      <Loaded query={query}>
        {({ why, next, whose_move: mover, next_step: step, blockers }) => (
          <Stack gap="sm">
            <ul className={classes.why}>
              {why.map((line) => (
                <li key={line}>{sentence(line)}</li>
              ))}
              {blockers.map((line) => (
                <li key={line}>{sentence(line)}</li>
              ))}
            </ul>
            <div className={classes.next}>
              <b>Next:</b> {sentence(next)}
              <Text size="sm" c="dimmed" mt={2}>
                {actionRequired(mover)}. {step}
              </Text>
            </div>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
