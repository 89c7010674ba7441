import { expect, test } from 'vitest'
import { commandsMeant } from './suggest.ts'

const known = [
  'up',
  'api',
  'status',
  'list-deployments',
  'get-deployment',
  'create-deployment',
  'list-users',
  'explain',
]

test.each([
  ['list-deploymnts', ['list-deployments']],
  ['list deployments', ['list-deployments']],
  ['get deployments', ['get-deployment']],
  ['explian shop', ['explain']],
  ['deployments', ['list-deployments', 'get-deployment', 'create-deployment']],
  ['user -o json', ['list-users']],
  ['frobnicate', []],
])('`caelus %s` may mean %j', (line, meant) => expect(commandsMeant(line.split(' '), known)).toEqual(meant))
