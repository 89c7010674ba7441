// @vitest-environment happy-dom
import { act } from 'react'
import { expect, test } from 'vitest'
import { render } from '../../testing/render.tsx'
import type { Screen } from '../../testing/render.tsx'
import { StepChart } from './StepChart.tsx'

const START = Date.now() - 600_000
const moments = [
  { at: START, values: [null, null, 1] },
  { at: START + 60_000, values: [4, null, 1] },
  { at: START + 120_000, values: [4, 4, 4] },
]

const chart = (): Promise<Screen> =>
  render(
    <StepChart
      label="Replicas of add"
      lines={['Recommended', 'Applied', 'Live']}
      moments={moments}
      format={(value) => `${value}`}
    />,
  )

test('a chart is read by arrow keys, change by change', async () => {
  using screen = await chart()
  const slider = screen.find('[role="slider"]')
  const press = (key: string): Promise<void> =>
    act(async () => void slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
  expect(slider.getAttribute('aria-valuetext')).toContain('Recommended 4, Applied 4, Live 4')
  await press('ArrowLeft')
  expect(slider.getAttribute('aria-valuetext')).toContain('Recommended 4, Applied —, Live 1')
  expect(screen.root.querySelectorAll('circle')).toHaveLength(2)
  await press('Home')
  await press('ArrowLeft')
  expect(slider.getAttribute('aria-valuenow')).toBe('1')
  await press('End')
  expect(slider.getAttribute('aria-valuenow')).toBe('3')
  expect(screen.text()).toContain('Applied 4')
})

test('a chart follows the pointer, and is a table as well', async () => {
  using screen = await chart()
  const slider = screen.find('[role="slider"]')
  await act(async () => void slider.dispatchEvent(new PointerEvent('pointermove', { clientX: 60, bubbles: true })))
  expect(slider.getAttribute('aria-valuenow')).toBe('1')
  const rows = [...screen.root.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map(({ textContent }) => textContent),
  )
  expect(rows).toEqual([
    ['4', '4', '4'],
    ['4', '—', '1'],
    ['—', '—', '1'],
  ])
})
