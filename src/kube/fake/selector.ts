import { badRequest } from './failure.ts'
import { isObject, type Json, objectAt } from './json.ts'

export type Selector = (object: Json) => boolean

export const everything: Selector = () => true

const NAME = String.raw`[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?`
const SET = new RegExp(String.raw`^(${NAME})\s+(in|notin)\s*\(([^()]*)\)$`)
const COMPARISON = new RegExp(String.raw`^(${NAME})\s*(==|=|!=|>|<)\s*([-A-Za-z0-9_.]*)$`)
const PRESENCE = new RegExp(String.raw`^(!?)\s*(${NAME})$`)

/** Label selectors as kubectl takes them: equality, sets, presence, order of numbers, joined by commas. */
export function labelSelector(text: string): Selector {
  const terms = splitOutsideParentheses(text).map(labelTerm)
  return (object) => {
    const labels = objectAt(objectAt(object, 'metadata'), 'labels')
    return terms.every((matches) => matches(labels))
  }
}

function splitOutsideParentheses(text: string): string[] {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim())
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

function labelTerm(text: string): (labels: Json) => boolean {
  const [, setKey, how, list] = SET.exec(text) ?? []
  if (setKey !== undefined && list !== undefined) {
    const values = new Set(list.split(',').map((value) => value.trim()))
    return (labels) => (how === 'in') === (setKey in labels && values.has(String(labels[setKey])))
  }
  const [, key, operator, value] = COMPARISON.exec(text) ?? []
  if (key !== undefined && value !== undefined) {
    if (operator === '!=') return (labels) => labels[key] !== value
    if (operator === '>') return (labels) => key in labels && Number(labels[key]) > Number(value)
    if (operator === '<') return (labels) => key in labels && Number(labels[key]) < Number(value)
    return (labels) => labels[key] === value
  }
  const [, not, present] = PRESENCE.exec(text) ?? []
  if (present !== undefined) return (labels) => (not === '!') !== present in labels
  throw badRequest(`unable to parse requirement: ${text}`)
}

/** Which paths the server can select by, besides name and namespace of every kind. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Event: [
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.uid',
    'reason',
    'type',
  ],
  Job: ['status.successful'],
  Namespace: ['status.phase'],
  Pod: ['spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'status.phase', 'status.podIP'],
  Secret: ['type'],
}

export function fieldSelector(text: string, kind: string): Selector {
  const terms = text.split(',').filter((term) => term !== '')
  const known = ['metadata.name', 'metadata.namespace', ...(FIELDS[kind] ?? [])]
  const matchers = terms.map((term) => {
    const [, path, operator, value] = /^([^=!]+?)(==|=|!=)(.*)$/.exec(term) ?? []
    if (path === undefined || value === undefined)
      throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`)
    if (!known.includes(path)) {
      throw badRequest(`"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
    }
    return (object: Json) => (operator === '!=') !== (valueAt(object, path) === value)
  })
  return (object) => matchers.every((matches) => matches(object))
}

function valueAt(object: Json, path: string): string {
  let value: unknown = object
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined
  return typeof value === 'object' || value === undefined ? '' : `${value as string | number | boolean}`
}
