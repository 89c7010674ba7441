import { describe, expect, test } from 'vitest'
import { failureOf } from '../kernel/index.ts'
import { DEPLOYMENT, PRODUCT, TEMPLATE } from './commands/apps/nouns.ts'
import { USER } from './commands/identity/nouns.ts'
import { isId, onlyOne } from './find-by-name.ts'

const ID = '123e4567-e89b-42d3-a456-426614174000'

test.each([
  [ID, true],
  [`${ID}0`, false],
  ['hello-ada-example-com-1a2b3c', false],
  ['hello.example.com', false],
])('%s is an id: %s', (text, is) => {
  expect(isId(text)).toBe(is)
})

describe('of those that are called so', () => {
  const refusalOf = (...question: Parameters<typeof onlyOne>): object => {
    try {
      return onlyOne(...question)
    } catch (error) {
      return failureOf(error)
    }
  }

  test('the only one is meant', () => {
    expect(onlyOne(PRODUCT, 'Hello', [{ id: 'a' }], ['Hello'])).toEqual({ id: 'a' })
  })

  test.each([
    [DEPLOYMENT, 'nope', ['hello.example.com'], 'there is no deployment called "nope"'],
    [
      DEPLOYMENT,
      'helo.example.com',
      ['hello-1a2b3c', 'hello.example.com'],
      'there is no deployment called "helo.example.com"; did you mean "hello.example.com"?',
    ],
    [USER, 'ada@exmple.com', ['ada@example.com'], /^there is no user .*; did you mean "ada@example.com"\?$/],
  ] as const)('no $0.name is called $1 among $2', (noun, named, known, message) => {
    expect(refusalOf(noun, named, [], known)).toMatchObject({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      whoseMove: 'user',
      nextStep: expect.stringContaining(`caelus list-${noun.name}s`),
    })
  })

  test('several are told by their ids', () => {
    expect(refusalOf(TEMPLATE, '1.0.0', [{ id: 'a' }, { id: 'b' }], [])).toMatchObject({
      code: 'NameAmbiguous',
      message: '2 templates are called "1.0.0": a, b',
      whoseMove: 'user',
    })
  })
})
