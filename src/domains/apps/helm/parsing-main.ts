import { parentPort, workerData } from 'node:worker_threads'
import { FailureError, messageOf } from '../../../kernel/index.ts'
import type { AppFailureCode } from '../failures.ts'
import { PARSERS } from './parsers.ts'
import type { Answer, Job } from './parsing.ts'

/* A thread that parses one text and ends. */

const { parser, input } = workerData as Job

async function answer(): Promise<Answer> {
  try {
    const parse = PARSERS[parser] as (...given: readonly unknown[]) => unknown
    return { is: 'parsed', value: await parse(...input) }
  } catch (error) {
    if (!(error instanceof FailureError)) return { is: 'broken', message: messageOf(error) }
    return { is: 'failed', code: error.failure.code as AppFailureCode, message: error.failure.message }
  }
}

parentPort?.postMessage(await answer(), [])
