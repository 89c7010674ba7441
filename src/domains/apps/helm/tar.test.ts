import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { filesIn, tarOf } from './tar.ts'

const file = (name: string, text: string) => ({ name, content: Buffer.from(text) })
const read = (archive: Buffer) => [...filesIn(archive)].map(({ name, content }) => [name, content.toString()])

describe('a tar archive', () => {
  it('gives back what was put in', () => {
    const files = [file('a/Chart.yaml', 'name: a'), file('a/empty', ''), file('a/long', 'x'.repeat(1_500))]
    expect(read(tarOf(files))).toEqual(files.map(({ name, content }) => [name, content.toString()]))
  })

  it('keeps a name of more than 100 bytes, and refuses one that does not fit', () => {
    const name = `${'folder/'.repeat(18)}file.yaml`
    expect(read(tarOf([file(name, 'x')]))).toEqual([[name, 'x']])
    expect(() => tarOf([file('x'.repeat(101), '')])).toThrow('is too long')
  })

  it.each(['gnu', 'pax'])('reads the long names of a %s archive', (format) => {
    const name = `${'a'.repeat(60)}/${'b'.repeat(120)}`
    const make = `d=$(mktemp -d) && mkdir -p $d/${'a'.repeat(60)} && echo hi > $d/${name} && tar -C $d --format=${format} -cf - ${name} && rm -r $d`
    expect(read(execFileSync('sh', ['-c', make]))).toEqual([[name, 'hi\n']])
  })

  it('is refused when it is cut off or none', () => {
    expect(() => read(tarOf([file('a', 'x'.repeat(600))]).subarray(0, 700))).toThrow('cut off')
    expect(() => read(Buffer.alloc(512, 'z'))).toThrow('not a tar archive')
  })
})
