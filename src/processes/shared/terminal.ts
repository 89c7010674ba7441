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
  /**
   * Shows the current step in one line that is overwritten; without a terminal, prints a line when `topic`
   * changes.
   */
  show(topic: string, text: string): void
}

const CLEAR = '\r\u001B[2K'

export function progressLine({ err, isInteractive }: Terminal): ProgressLine {
  let shown = ''
  let topicShown = ''
  return {
    say(text) {
      err(`${shown === '' ? '' : CLEAR}${text}\n${shown}`)
    },
    show(topic, text) {
      if (isInteractive) {
        shown = text
        return err(`${CLEAR}${text}`)
      }
      if (topic === topicShown) return
      topicShown = topic
      if (text !== '') err(`${text}\n`)
    },
  }
}
