/** The few ASN.1 types that a certificate consists of, in their distinguished encoding. */
const tagged = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...length), content])
}

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x30, ...parts)
export const set = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x31, ...parts)
export const boolean = (value: boolean): Uint8Array => tagged(0x01, Uint8Array.of(value ? 0xff : 0))
export const none = (): Uint8Array => tagged(0x05)
export const octets = (bytes: Uint8Array): Uint8Array => tagged(0x04, bytes)
export const utf8 = (text: string): Uint8Array => tagged(0x0c, Buffer.from(text))

/** Positive, most significant byte first. */
export const integer = (bytes: Uint8Array): Uint8Array =>
  tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Uint8Array.of(0) : Uint8Array.of(), bytes)

/** Whole bytes unless the last ones are declared unused. */
export const bits = (bytes: Uint8Array, unused = 0): Uint8Array => tagged(0x03, Uint8Array.of(unused), bytes)

/** `[n]`, wrapping what it holds. */
export const explicit = (n: number, ...parts: readonly Uint8Array[]): Uint8Array => tagged(0xa0 + n, ...parts)

/** `[n]`, replacing the tag of a primitive. */
export const implicit = (n: number, bytes: Uint8Array): Uint8Array => tagged(0x80 + n, bytes)

export const time = (date: Date): Uint8Array =>
  tagged(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`))

export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Uint8Array.of(first * 40 + second, ...rest.flatMap(base128)))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
