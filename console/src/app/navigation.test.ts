import { expect, test } from 'vitest'
import { isAt, PLACES, placesFor } from './navigation.ts'

const places = PLACES.flatMap((group) => group.places)

test('every place has its own path and key', () => {
  expect(new Set(places.map(({ path }) => path)).size).toBe(places.length)
  expect(new Set(places.map(({ key }) => key)).size).toBe(places.length)
})

test('members are not led to what the API would refuse them', () => {
  const paths = placesFor('member').flatMap((group) => group.places.map(({ path }) => path))
  expect(paths).not.toContain('/operations/decisions')
  expect(paths).toContain('/operations/tokens')
  expect(placesFor('admin')).toEqual(PLACES)
})

test('one is at a place also when deeper inside it', () => {
  expect(isAt('/apps', '/apps/deployments/7')).toBe(true)
  expect(isAt('/apps', '/appstore')).toBe(false)
  expect(isAt('/', '/apps')).toBe(false)
})
