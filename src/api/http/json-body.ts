import type { FastifyInstance } from 'fastify'
import { raise } from '../failures.ts'

/** Deeper than any body that makes sense, and far from where reading one recursively ends the stack. */
const DEEPEST = 100

/**
 * Bodies are JSON. An empty one counts as absent, because clients send the content type with every request. One that is
 * nested too deeply is refused before anything walks through it.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null)
    if (isDeeper(body, DEEPEST)) {
      return done(raise.InvalidRequest(`the body is nested deeper than ${DEEPEST} levels`))
    }
    return parse(request, body, done)
  })
}

const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const [OPENING, CLOSING] = [new Set(['[', '{'].map(codeOf)), new Set([']', '}'].map(codeOf))]

function codeOf(character: string): number {
  return character.charCodeAt(0)
}

/** By its brackets alone, whether or not it is JSON. */
function isDeeper(text: string, depth: number): boolean {
  let [open, isText] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isText = !isText
    else if (isText) {
      if (code === BACKSLASH) at++
    } else if (OPENING.has(code)) {
      if (++open > depth) return true
    } else if (CLOSING.has(code)) open--
  }
  return false
}
