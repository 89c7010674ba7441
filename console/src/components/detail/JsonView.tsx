import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useMemo } from 'react'
import { jsonText, jsonTokens } from '../../lib/json.ts'
import classes from './JsonView.module.css'

interface JsonViewProps {
  readonly value: unknown
  readonly label: string
}

export function JsonView({ value, label }: JsonViewProps) {
  const text = useMemo(() => jsonText(value), [value])
  const tokens = useMemo(() => jsonTokens(text), [text])
  return (
    <figure className={classes.figure} aria-label={label}>
      <figcaption className={classes.caption}>
        <span>{label}</span>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? 'Copied' : 'Copy'}>
              <ActionIcon size="sm" variant="subtle" color="gray" onClick={copy} aria-label={`Copy ${label}`}>
                {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </figcaption>
      <pre className={classes.code} tabIndex={0}>
        {tokens.map((token, at) => (
          // The pieces of one text have no identity but their place.
          <span key={at} className={classes[token.kind]}>
            {token.text}
          </span>
        ))}
      </pre>
    </figure>
  )
}
