import { createHash } from 'node:crypto'

/*
 * Every name is made from the name of the class and the key of the function, never from a position, so that adding, removing
 * or reordering functions renames nothing. What is short and plain stays readable: `cart--checkout`. Everything else is
 * shortened and ends in a hash of what it stands for: no two functions of any two classes share a name.
 */

/** Of a DNS label, and of the value of a label. */
const MAX = 63
const HASH = 10
const ODGM = '-odgm'
const ODGM_SERVICE = '-odgm-svc'

/** A letter first, single hyphens between letters and digits: two hyphens are what joins class and function. */
const PLAIN = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const LABEL_VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** Deployment, Service, Knative service and autoscaler of one function all have this name. */
export function functionName(className: string, functionKey: string): string {
  const readable = `${className}--${functionKey}`
  if (isJoinable(className) && PLAIN.test(functionKey) && readable.length <= MAX) return readable
  const [head, tail] = [slug(className), slug(functionKey)]
  const room = MAX - HASH - 2
  const half = Math.floor(room / 2)
  const parts = head.length + tail.length < room ? [head, tail] : [trimmed(head.slice(0, half)), tail.slice(0, half)]
  return withHash(parts.filter((part) => part !== '').join('-'), JSON.stringify([className, functionKey]))
}

export const odgmName = (className: string): string => `${stem(className)}${ODGM}`
export const odgmServiceName = (className: string): string => `${stem(className)}${ODGM_SERVICE}`
export const monitorName = (className: string, kind: 'ServiceMonitor' | 'PodMonitor'): string =>
  `${stem(className)}-${kind === 'ServiceMonitor' ? 'svcmon' : 'podmon'}`

/** The value of the owner label: the name of the class while it fits. */
export const ownerLabel = (className: string): string => labelValue(className)
export const functionLabel = (functionKey: string): string => labelValue(functionKey)

function labelValue(text: string): string {
  if (text.length <= MAX && LABEL_VALUE.test(text)) return text
  const kept = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[._-]+/, '')
  const short = kept.slice(0, MAX - HASH - 1).replace(/[._-]+$/, '')
  return short === '' ? hash(text) : `${short}-${hash(text)}`
}

/** `xn--…` and its like mean something else to DNS. */
const isJoinable = (className: string): boolean => PLAIN.test(className) && className.length !== 2

/** The class in names of what it has once; leaves room for the longest ending. */
function stem(className: string): string {
  const room = MAX - ODGM_SERVICE.length
  if (PLAIN.test(className) && className.length <= room) return className
  return withHash(slug(className).slice(0, room - HASH - 1), className)
}

const slug = (text: string): string => trimmed(text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))

const trimmed = (text: string): string => text.replaceAll(/^-+|-+$/g, '')

/** A Service must begin with a letter. */
const withHash = (readable: string, of: string): string =>
  `${trimmed(readable).replace(/^(?![a-z])./, 'n') || 'n'}-${hash(of)}`

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH)
