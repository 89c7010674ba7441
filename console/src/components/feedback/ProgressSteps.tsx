import { Loader, Text } from '@mantine/core'
import { IconCircleCheckFilled, IconCircleDashed, IconCircleXFilled } from '@tabler/icons-react'
import type { StepView } from '../../lib/api/contract.ts'
import { elapsedText } from '../../lib/age.ts'
import { useNow } from '../../lib/now.ts'
import { spokenStep } from '../../lib/tone.ts'
import classes from './ProgressSteps.module.css'

/** Steps one after the other, with what is running now and how long each took. */
export function ProgressSteps({ steps, label }: { readonly steps: readonly StepView[]; readonly label: string }) {
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps.map((step) => (
        <Step key={step.name} step={step} />
      ))}
    </ol>
  )
}

function Step({ step }: { readonly step: StepView }) {
  return (
    <li
      className={classes.step}
      data-state={step.state}
      {...(step.state === 'running' && { 'aria-current': 'step' as const })}
    >
      <span className={classes.icon}>
        <StepIcon state={step.state} />
      </span>
      <span className={classes.text}>
        <span className={classes.title}>
          {step.title}
          <span className="visually-hidden">, {spokenStep(step.state).word}</span>
        </span>
        {step.message !== null && step.message !== '' && (
          <Text span size="xs" c={step.state === 'failed' ? 'var(--tone-bad)' : 'dimmed'} className={classes.message}>
            {step.message}
          </Text>
        )}
      </span>
      <span className={`${classes.elapsed} tabular`}>
        <Elapsed step={step} />
      </span>
    </li>
  )
}

function StepIcon({ state }: { readonly state: StepView['state'] }) {
  switch (state) {
    case 'running':
      return <Loader size={14} aria-hidden />
    case 'done':
      return <IconCircleCheckFilled size={16} aria-hidden />
    case 'failed':
      return <IconCircleXFilled size={16} aria-hidden />
    case 'waiting':
      return <IconCircleDashed size={16} aria-hidden />
    default:
      return state satisfies never
  }
}

function Elapsed({ step }: { readonly step: StepView }) {
  const now = useNow()
  if (step.started_at === null) return null
  const started = Date.parse(step.started_at)
  return elapsedText((step.ended_at === null ? now : Date.parse(step.ended_at)) - started)
}
