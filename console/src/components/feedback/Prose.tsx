import { Code } from '@mantine/core'
import { Fragment } from 'react'
import { proseParts } from '../../lib/prose.ts'

/** A sentence of the API, with what stands between backticks set as code. */
export function Prose({ text }: { readonly text: string }) {
  return proseParts(text).map(({ code, text: part }, at) => (
    // The pieces of one text have no identity but their place.
    <Fragment key={at}>{code ? <Code>{part}</Code> : part}</Fragment>
  ))
}
