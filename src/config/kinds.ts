import { isIP } from 'node:net'

/** How a value is written in the environment. `read` throws what is wrong, in words that follow the value. */
export interface Kind<T> {
  readonly type: string
  readonly read: (written: string) => T
}

export const text: Kind<string> = { type: 'text', read: (written) => written }

export const path: Kind<string> = { type: 'path', read: (written) => written }

export const hostname: Kind<string> = {
  type: 'address',
  read: (written) =>
    /^[\w.:[\]-]+$/.test(written) ? written : refuse('is not an address; write one such as 127.0.0.1'),
}

export const boolean: Kind<boolean> = {
  type: 'true or false',
  read: (written) => (written === 'true' ? true : written === 'false' ? false : refuse('must be true or false')),
}

export const integer = (least: number, most: number): Kind<number> => ({
  type: `integer ${least}–${most}`,
  read: (written) =>
    within(/^\d+$/.test(written) ? Number(written) : NaN, least, most, `an integer from ${least} to ${most}`),
})

/** From 0 to 1. */
export const fraction: Kind<number> = {
  type: 'number 0–1',
  read: (written) => within(/^\d+(\.\d+)?$/.test(written) ? Number(written) : NaN, 0, 1, 'a number from 0 to 1'),
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** The name of a namespace. */
export const namespace: Kind<string> = {
  type: 'namespace',
  read: (written) =>
    NAMESPACE.test(written) ? written : refuse('must be the name of a namespace, such as caelus-system'),
}

/** Names of namespaces, none of them twice. */
export const namespaces: Kind<readonly string[]> = {
  type: 'namespaces, comma separated',
  read(written) {
    const names = written.split(',').map((name) => name.trim())
    const isEach = names.every((name) => NAMESPACE.test(name))
    if (!isEach) return refuse('must be names of namespaces, separated by commas, such as shop,payments')
    return new Set(names).size === names.length ? names : refuse('must not have the same namespace twice')
  },
}

/** A list, of which `none` is the empty one. */
function itemsIn(written: string): readonly string[] {
  return written === 'none' ? [] : written.split(',').map((item) => item.trim())
}

/** Quantities by the name of a resource: `pods=50,requests.memory=16Gi`. */
export const quantities: Kind<Readonly<Record<string, string>>> = {
  type: 'resource=quantity, comma separated, or none',
  read(written) {
    const pairs = itemsIn(written).map((item) => /^([\w./-]+)=(\d+(?:\.\d+)?(?:m|[kMGTPE]i?)?)$/.exec(item)?.slice(1))
    const isEach = pairs.every((pair) => pair !== undefined)
    if (!isEach) return refuse('must be resource=quantity,… such as pods=50,requests.memory=16Gi, or none')
    const names = pairs.map(([name]) => name)
    if (new Set(names).size !== names.length) return refuse('must not have the same resource twice')
    return Object.fromEntries(pairs) as Record<string, string>
  },
}

export interface FieldManager {
  readonly manager: string
  readonly under?: string
}

/** Field managers, each with the fields that it may own: `istio*=metadata.annotations,cert-manager`. */
export const fieldManagers: Kind<readonly FieldManager[]> = {
  type: 'manager or manager=field, comma separated, or none',
  read(written) {
    const managers = itemsIn(written).map((item) => /^([^\s=,*]+\*?)(?:=([\w.[\]/-]+))?$/.exec(item))
    const isEach = managers.every((one) => one !== null)
    if (!isEach) return refuse('must be manager or manager=field,… such as istio*=metadata.annotations, or none')
    return managers.map(([, manager = '', under]) => ({ manager, ...(under !== undefined && { under }) }))
  },
}

function isCidr(item: string): boolean {
  const [address = '', bits = ''] = item.split('/')
  const family = isIP(address)
  return family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

/** One network: `10.0.0.0/16`. */
export const cidr: Kind<string> = {
  type: 'CIDR',
  read: (written) => (isCidr(written) ? written : refuse('must be a network such as 10.0.0.0/16')),
}

/** An image of nodes: `gardenlinux` or `gardenlinux:1592.9.0`. */
export const machineImage: Kind<{ readonly name: string; readonly version?: string }> = {
  type: 'name or name:version',
  read(written) {
    const [, name, version] = /^([a-z0-9][-.a-z0-9]*)(?::([^\s:]+))?$/.exec(written) ?? []
    if (name === undefined) return refuse('must be the name of an image, or name:version such as gardenlinux:1592.9.0')
    return { name, ...(version !== undefined && { version }) }
  },
}

/** Networks: `10.0.0.0/8,fd00::/8`. */
export const cidrs: Kind<readonly string[]> = {
  type: 'CIDRs, comma separated, or none',
  read(written) {
    const items = itemsIn(written)
    return items.every(isCidr) ? items : refuse('must be networks such as 10.0.0.0/8,fd00::/8, or none')
  },
}

/** Domains: `example.com,apps.example.org`. */
export const domains: Kind<readonly string[]> = {
  type: 'domains, comma separated, or none',
  read(written) {
    const items = itemsIn(written).map((item) => item.replace(/^\*?\./, '').toLowerCase())
    const isEach = items.every((item) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(item))
    return isEach ? items : refuse('must be domains such as example.com,apps.example.org, or none')
  },
}

export const oneOf = <const T extends readonly string[]>(...words: T): Kind<T[number]> => ({
  type: words.join(', '),
  read: (written) => words.find((word) => word === written) ?? refuse(`must be one of ${words.join(', ')}`),
})

export const url = (...schemes: readonly string[]): Kind<string> => ({
  type: `URL (${schemes.join(', ')})`,
  read(written) {
    const parsed = URL.canParse(written) ? new URL(written) : undefined
    if (!parsed || !schemes.includes(parsed.protocol.slice(0, -1))) {
      return refuse(`must be a URL beginning with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
    }
    return written.replace(/\/$/, '')
  },
})

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const AMOUNT = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g

/** In milliseconds; `1m30s` is a sum. */
export const duration = (least: number, most: number): Kind<number> => ({
  type: 'duration',
  read(written) {
    const amounts = [...written.matchAll(AMOUNT)]
    const isWhole = amounts.length > 0 && amounts.map(([part]) => part).join('') === written
    const sum = amounts.reduce(
      (ms, [, amount, unit]) => ms + Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS],
      0,
    )
    const ms = isWhole ? sum : NaN
    return within(ms, least, most, `a duration from ${inWords(least)} to ${inWords(most)}, such as 500ms, 30s or 5m`)
  },
})

const inWords = (ms: number): string => {
  const [unit, size] = Object.entries(UNITS_MS).findLast(([, ms1]) => ms >= ms1 && ms % ms1 === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

const UNITS_BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2 }

export const bytes = (least: number, most: number): Kind<number> => ({
  type: 'size',
  read(written) {
    const [, amount, unit] = /^(\d+)(B|KiB|MiB)$/.exec(written) ?? []
    const size = amount === undefined ? NaN : Number(amount) * (UNITS_BYTES[unit ?? 'B'] ?? 1)
    return within(size, least, most, `a size from ${least} to ${most} bytes, such as 512KiB or 1MiB`)
  },
})

/** 32 random bytes, so that it fits the cipher and cannot be guessed. */
export const key: Kind<string> = {
  type: '32 bytes in base64',
  read: (written) =>
    Buffer.from(written, 'base64').length === 32
      ? written
      : refuse('must be 32 bytes in base64; make one with `openssl rand -base64 32`'),
}

/** Several such keys with a name each. The first one encrypts, all of them decrypt. */
export const keys: Kind<string> = {
  type: 'id:base64 of 32 bytes, comma separated',
  read(written) {
    const ids = written.split(',').map((part) => {
      const [, id, encoded = ''] = /^([\w-]{1,32}):([\w+/=-]+)$/.exec(part.trim()) ?? []
      return Buffer.from(encoded, 'base64').length === 32 ? id : undefined
    })
    if (ids.includes(undefined)) {
      return refuse('must be id:key,… with 32 bytes in base64 each; make one with `echo k1:$(openssl rand -base64 32)`')
    }
    return new Set(ids).size === ids.length ? written : refuse('must not have the same id twice')
  },
}

/** The keys in such a text, without their names. */
export const keysIn = (written: string): string[] =>
  written.split(',').map((part) => part.slice(part.indexOf(':') + 1).trim())

export interface ClaimIs {
  readonly claim: string
  readonly value: string
}

export const claim: Kind<ClaimIs> = {
  type: 'claim=value',
  read(written) {
    const at = written.indexOf('=')
    if (at < 1 || at === written.length - 1) return refuse('must be written claim=value, such as groups=platform-team')
    return { claim: written.slice(0, at), value: written.slice(at + 1) }
  },
}

function within(value: number, least: number, most: number, what: string): number {
  return value >= least && value <= most ? value : refuse(`must be ${what}`)
}

function refuse(why: string): never {
  throw new Error(why)
}
