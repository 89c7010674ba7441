import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { expectNoSentinel, SENTINEL, SENTINEL_LINE, sentinelSpellings } from '../../../test/support/sentinel.ts'
import { FailureError } from '../errors.ts'
import { masker } from './masker.ts'
import { Matcher } from './matcher.ts'

const MASK = '(masked)'
const of = (...secrets: string[]) => masker(secrets, { mask: MASK })

describe('spellings', () => {
  test.each([...sentinelSpellings()])('%s', (_name, spelling) => {
    const masked = of(SENTINEL)(`value: ${spelling};`)
    expectNoSentinel(masked)
    expect(masked).toMatch(/^value: [\s\S]{0,40}\(masked\).{0,20};$/)
  })

  test.each([...sentinelSpellings(SENTINEL_LINE)])('%s, of a secret of one line', (_name, spelling) => {
    expectNoSentinel(of(SENTINEL_LINE)(`[${spelling}]`), SENTINEL_LINE)
  })

  test('many in one text', () => {
    const spellings = [...sentinelSpellings().values()]
    const masked = of(SENTINEL)(spellings.join(' | '))
    expectNoSentinel(masked)
    expect(masked.split(MASK).length).toBeGreaterThanOrEqual(spellings.length)
  })

  test('a line of a secret of several lines, and no text around it', () => {
    const [first = '', second = ''] = SENTINEL.split('\n')
    const log = `12:00 ${first}\n12:01 ${second}\n12:02 ready`
    expect(of(SENTINEL)(log)).toBe(`12:00 ${MASK}\n12:01 ${MASK}\n12:02 ready`)
  })

  test('any text that a secret can be, in any text that can be around it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 })
    const secrets = fc
      .string({ unit: 'grapheme', minLength: 8, maxLength: 24 })
      .filter((secret) => /\w{4}/.test(secret))
    const encodings: ReadonlyArray<(secret: string) => string> = [
      (secret) => secret,
      (secret) => JSON.stringify(secret).slice(1, -1),
      encodeURIComponent,
      (secret) => Buffer.from(secret).toString('base64'),
    ]
    fc.assert(
      fc.property(text, secrets, text, fc.constantFrom(...encodings), (before, secret, after, encode) => {
        const masked = of(secret)(`${before} ${encode(secret)} ${after}`)
        expect(masked).toContain(MASK)
        fc.pre(!MASK.includes(secret) && !before.includes(encode(secret)) && !after.includes(encode(secret)))
        expect(masked.replaceAll(MASK, '\0')).not.toContain(encode(secret))
      }),
      { numRuns: 500 },
    )
  })

  it('leaves ordinary text alone', () => {
    const text = 'failed to read chart oci://charts.example/app+extra 1.2.3 ("C:\\new") 50%: it\'s 404 for Zm9vYmFy'
    expect(of(SENTINEL, 'hunter2-and-more')(text)).toBe(text)
    expect(of()(SENTINEL)).toBe(SENTINEL)
  })
})

describe('several secrets', () => {
  test.each([
    ['one begins like the other', ['hunter', 'hunter2-and-more'], 'refused hunter2-and-more', `refused ${MASK}`],
    ['one ends like the other', ['and-more', 'hunter2-and-more'], 'refused hunter2-and-more', `refused ${MASK}`],
    ['one is inside of the other', ['ter2', 'hunter2-and-more'], 'refused hunter2-and-more', `refused ${MASK}`],
    ['one is inside of the beginning of the other', ['xabcdefz', 'bcde'], 'say xabcdeq', `say xa${MASK}q`],
    ['they overlap in the text', ['abcdef', 'defghi'], 'x abcdefghi y', `x ${MASK} y`],
    ['one overlaps itself', ['abab'], 'x ababab y', `x ${MASK} y`],
    ['they follow each other', ['abcd', 'efgh'], 'x abcdefgh y', `x ${MASK}${MASK} y`],
  ])('%s', (_name, secrets, text, masked) => expect(of(...secrets)(text)).toBe(masked))

  it('names the longest of those that overlap', () => {
    const mask = masker(['hunter', 'hunter2-and-more'], { mask: (secret) => `<${secret.length}>` })
    expect(mask('hunter, hunter2-and-more')).toBe('<6>, <16>')
  })
})

describe('secrets of fewer than four characters', () => {
  const mask = of('12', 'ab', 'a"b')

  test.each([
    ['ab', MASK],
    [' ab\n', MASK],
    ['YWI=', MASK],
    ['YWI', MASK],
    ['Invalid value: "ab": must be longer', `Invalid value: "${MASK}": must be longer`],
    ["Invalid value: 'ab'", `Invalid value: '${MASK}'`],
    [String.raw`{\"pin\":\"a\\\"b\"}`.replaceAll('\\\\\\"', '\\"'), String.raw`{\"pin\":\"${MASK}\"}`],
    ['{"pin":12,"x":120}', `{"pin":${MASK},"x":120}`],
    ['pin: 12\nx: 1', `pin: ${MASK}\nx: 1`],
    ['/x?pin=12&y=12', `/x?pin=${MASK}&y=${MASK}`],
    ['120 abbots in 12 cabs', '120 abbots in 12 cabs'],
  ])('%j becomes %j', (text, masked) => expect(mask(text)).toBe(masked))

  it('masks a secret of nothing but ignored characters as a whole', () => {
    expect(of("+' '+")(`"+' '+" and + '`)).toBe(`"${MASK}" and + '`)
  })
})

describe('excerpt', () => {
  const mask = of(SENTINEL)
  const filler = (length: number): string => '.-'.repeat(length).slice(0, length)

  it('leaks no part, wherever a text is cut after it was masked', () => {
    for (const spelling of sentinelSpellings().values()) {
      const cuts = Array.from(spelling, (_, room) => mask.excerpt(`${filler(90)} ${spelling}`, 91 + room))
      expectNoSentinel(cuts.join(' ¦ '))
    }
  })

  it('cuts the mask, never the secret', () => {
    const cuts = Array.from(SENTINEL, (_, kept) => mask.excerpt(`key: ${SENTINEL}`, 5 + kept))
    expect(cuts).toEqual(Array.from(SENTINEL, (_, kept) => `key: ${MASK.slice(0, kept)}`))
  })

  // A cut through base64 in base64 destroys a few more characters than the others.
  const cuttable = [...sentinelSpellings()].filter(([name]) => name !== 'base64 of base64')

  test.each(cuttable)('masks what others have left of it: %s', (_name, spelling) => {
    const left: string[] = []
    for (let at = 0; at < spelling.length; at++) {
      const mark = ['', '...', '…'][at % 3] ?? ''
      left.push(mask.excerpt(`failed with ${spelling.slice(0, at)}${mark}`))
      left.push(mask.excerpt(`${mark}${spelling.slice(at)} was refused`))
    }
    expectNoSentinel(left.join(' ¦ '))
  })

  it('masks a text that was cut out of the middle of a secret', () => {
    const middles = Array.from(SENTINEL, (_, at) => mask.excerpt(SENTINEL.slice(Math.floor(at / 2), at)))
    expectNoSentinel(middles.join(' ¦ '))
  })

  it('masks the short lines of a secret that was cut at the end of a long one', () => {
    const lines = ['first-long-line-of-secret', 'user: bob', 'pw: hunter2!', 'second-long-line-of-secret', 'pin: 4711']
    const { excerpt } = of(lines.join('\n'))
    const short = /bob|hunter2|4711/
    for (let from = 0; from < lines.length; from++) {
      for (let to = lines.length; to > from; to--) {
        const left = lines.slice(from, to).join('\n')
        if (left.length < 12) continue
        expect(
          excerpt(`${from === 0 ? 'refused: ' : ''}${left}${to === lines.length ? ' was refused' : ''}`),
        ).not.toMatch(short)
      }
    }
  })

  it('masks a part of a secret beside another one that it contains', () => {
    expect(of('hunter2-and-more-stuff', 'more').excerpt('failed hunter2-and-more')).toBe(`failed ${MASK}`)
    expect(of('correct-horse-battery-staple', 'horse').excerpt('horse-battery-staple failed')).toBe(`${MASK} failed`)
  })

  it('masks a part of base64 between quotes', () => {
    const cut = Buffer.from('hunter2-and-more-stuff').toString('base64').slice(0, 24)
    expect(of('hunter2-and-more-stuff').excerpt(`failed "${cut}"`)).not.toContain(cut)
  })

  it('takes no text for a part of a secret because it ends like one begins', () => {
    const { excerpt } = of('https://joe:pass@db.example/x')
    expect(excerpt('failed to reach https://')).toBe('failed to reach https://')
    expect(excerpt('failed to reach https://registry.example')).toBe('failed to reach https://registry.example')
  })

  it('masks half of a secret of few characters, and no less', () => {
    const short = of('open-sesame')
    expect(short.excerpt('login with open-s')).toBe(`login with ${MASK}`)
    expect(short.excerpt('sesame was refused')).toBe(`${MASK} was refused`)
    expect(short.excerpt('the door is open')).toBe('the door is open')
    expect(short('login with open-s')).toBe('login with open-s')
  })

  it('takes no quote or digit beside a whole secret for a part of it', () => {
    expect(mask.excerpt(`"${SENTINEL}"`)).toBe(`"${MASK}"`)
    expect(mask.excerpt(`7 ${SENTINEL} 7`)).toBe(`7 ${MASK} 7`)
  })

  it('cuts to the length that was asked for, and no character in half', () => {
    expect(mask.excerpt('abcdef', 3)).toBe('abc')
    expect(mask.excerpt('ab😀', 3)).toBe('ab')
    expect(mask.excerpt('ab', 3)).toBe('ab')
  })
})

describe('value', () => {
  const { value } = of(SENTINEL, 'hunter2', '123456', 'on')

  it('masks values and keys at any depth, and keeps keys apart that become equal', () => {
    const masked = value({
      a: [SENTINEL, { b: `x ${SENTINEL}` }],
      [`hunter2`]: 1,
      [`"hunter2`]: 2,
      'hunter2 ': 3,
      pin: 123456,
    })
    expectNoSentinel(masked)
    expect(masked).toEqual({ a: [MASK, { b: `x ${MASK}` }], [MASK]: 1, [`"${MASK}`]: 2, [`${MASK} `]: 3, pin: MASK })
    expect(value({ hunter2: 1, hunt_er2: 2, "hunter'2": 3 })).toEqual({ [MASK]: 1, hunt_er2: 2, [`${MASK} 2`]: 3 })
  })

  it('takes a secret of few characters for one where it is a value, not where it is a key', () => {
    expect(value({ on: true, state: 'on' })).toEqual({ on: true, state: MASK })
  })

  it('keeps what is no text, and JSON forms of classes', () => {
    const at = new Date(0)
    const cycle: { self?: unknown; n: number } = { n: 1 }
    cycle.self = cycle
    expect(value({ at, no: null, nothing: undefined, yes: true, n: 7, url: new URL('http://x/hunter2') })).toEqual({
      at,
      no: null,
      nothing: undefined,
      yes: true,
      n: 7,
      url: `http://x/${MASK}`,
    })
    const copy = value(cycle)
    expect(copy.self).toBe(copy)
  })

  it('masks message, stack, fields and causes of errors, and keeps their class', () => {
    const failure = { code: 'X', message: `no ${SENTINEL}`, whoseMove: 'user', retryable: false, nextStep: '' } as const
    const error = new FailureError(failure, {
      cause: new AggregateError([new Error(`deep ${SENTINEL}`)], 'two', { cause: { password: SENTINEL } }),
    })
    const masked = value(error)
    expect(masked).toBeInstanceOf(FailureError)
    expect(masked.message).toBe(`no ${MASK}`)
    expect(masked.failure.message).toBe(`no ${MASK}`)
    const { cause } = masked as { cause: AggregateError }
    expect(cause.cause).toEqual({ password: MASK })
    expect(cause.errors[0]).toMatchObject({ message: `deep ${MASK}` })
    for (const one of [masked, cause, cause.errors[0] as Error]) expectNoSentinel(String(one.stack))
    expect(error.message).toContain(SENTINEL)
  })
})

describe('work', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const secrets = Array.from({ length: 200 }, (_, n) => `${letters.slice(n % 20)}${'a'.repeat(n)}-${n}`)
  const MEGABYTE = 1_000_000

  test.each([
    ['ordinary text', 'the quick brown fox jumps over the lazy dog. '],
    ['the beginning of every secret', 'a'],
    ['nearly a secret', `${letters}aaaaaaaa `],
    ['backslashes', '\\'],
    ['escapes of escapes', '\\\\u005cu005c'],
    ['percent signs', '%25'],
    ['base64', Buffer.from(letters.repeat(3)).toString('base64')],
    ['a secret', `${secrets[7]} `],
    ['quotes', `"'=: `],
  ])('grows with the text and not with the number of secrets: 1 MB of %s', (_name, unit) => {
    const matcher = new Matcher([...secrets, ...secrets.map((_, n) => `s${n}`.slice(0, 3))])
    const text = unit.repeat(Math.ceil(MEGABYTE / unit.length))
    matcher.find(text, { isCut: true })
    expect(matcher.steps).toBeGreaterThan(MEGABYTE)
    expect(matcher.steps).toBeLessThan(150 * MEGABYTE)
  })
})
