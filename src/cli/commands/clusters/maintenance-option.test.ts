import { expect, test } from 'vitest'
import { maintenanceIn } from './maintenance-option.ts'

const WINDOW = { begin: '220000+0100', end: '230000+0100' }
const PRESENT = { ...WINDOW, update_kubernetes: true, update_machine_image: false }

test('says nothing where nothing was said', () => {
  expect(maintenanceIn({})).toEqual({})
  expect(maintenanceIn({}, PRESENT)).toEqual({})
  expect(maintenanceIn({ maintenance: false }, PRESENT)).toEqual({ maintenance: null })
})

test('keeps what stays where only the other option was given', () => {
  expect(maintenanceIn({ autoUpdate: ['machine-image'] }, PRESENT)).toEqual({
    maintenance: { ...WINDOW, update_kubernetes: false, update_machine_image: true },
  })
  expect(maintenanceIn({ maintenance: { begin: '010000+0000', end: '020000+0000' } }, PRESENT)).toEqual({
    maintenance: { ...PRESENT, begin: '010000+0000', end: '020000+0000' },
  })
  expect(maintenanceIn({ maintenance: WINDOW })).toEqual({
    maintenance: { ...WINDOW, update_kubernetes: true, update_machine_image: true },
  })
})

test('refuses to say what is updated where it is not said when, instead of leaving it to Gardener', () => {
  const needed = '--auto-update needs --maintenance'
  expect(() => maintenanceIn({ autoUpdate: [] })).toThrow(needed)
  expect(() => maintenanceIn({ autoUpdate: [] }, null)).toThrow(needed)
  expect(() => maintenanceIn({ autoUpdate: [], maintenance: false }, PRESENT)).toThrow(needed)
})
