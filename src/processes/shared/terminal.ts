import { createInterface } from 'node:readline/promises'
import type { Terminal } from '../../cli/index.ts'

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isInteractive: process.stdin.isTTY && process.stderr.isTTY,
  async ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    try {
      return await lines.question(question)
    } finally {
      lines.close()
    }
  },
}

/** Shows the progress of long work. */
export interface ProgressLine {
  /** Prints a line that stays. */
  say(text: string): void
  /** The current step: one line that is overwritten. Without a terminal, a line when `topic` changes and every 15 s. */
  show(topic: string, text: string): void
}

const CLEAR = '\r\u001B[2K'
const PLAIN_EVERY_MS = 15_000

export function progressLine({ err, isInteractive }: Terminal, now = (): number => performance.now()): ProgressLine {
  let shown = ''
  let last = { topic: '', at: 0 }
  return {
    say(text) {
      err(`${shown === '' ? '' : CLEAR}${text}\n${shown}`)
    },
    show(topic, text) {
      if (isInteractive) {
        shown = text
        return err(`${CLEAR}${text}`)
      }
      if (topic === last.topic && now() - last.at < PLAIN_EVERY_MS) return
      last = { topic, at: now() }
      if (text !== '') err(`${text}\n`)
    },
  }
}
