import { Text } from '@mantine/core'
import { IconChevronRight, IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import type { FieldChangeView, ObjectChangeView, PreviewView } from '../../lib/api/contract.ts'
import { diffLines, summary } from '../../lib/diff-lines.ts'
import classes from './PreviewDiff.module.css'

const WORDS = {
  created: { icon: IconPlus, word: 'is created' },
  changed: { icon: IconPencil, word: 'is changed' },
  deleted: { icon: IconMinus, word: 'is deleted' },
} as const

/** Fewer than this are seen at a glance, so they need no click. */
const FEW = 6

/** The exact fields that would change, object by object. What is changed is open; what is new is one click away. */
export function PreviewDiff({ preview }: { readonly preview: PreviewView }) {
  return (
    <div className={classes.preview}>
      <Text size="sm" fw={600} role="status">
        {summary(preview)}
      </Text>
      {preview.values.length > 0 && (
        <details className={classes.object} open={diffLines(preview.values).length <= FEW}>
          <summary className={classes.head}>
            <IconChevronRight size={14} className={classes.caret} aria-hidden />
            <span className={classes.mark} data-change="changed">
              <IconPencil size={13} aria-hidden />
            </span>
            <b>Settings</b>
            <span className={classes.word}>{fieldCount(preview.values)}</span>
          </summary>
          <FieldChanges changes={preview.values} />
        </details>
      )}
      {preview.objects.map((object) => (
        <ObjectDiff key={object.object} object={object} />
      ))}
      {(preview.left_alone ?? []).map(({ object, field, because }) => (
        <Text key={`${object} ${field}`} size="xs" c="dimmed">
          {object} <code>{field}</code> stays as it is: {because}.
        </Text>
      ))}
      {(preview.not_consulted ?? []).map((line) => (
        <Text key={line} size="xs" c="dimmed">
          Told by the chart alone, not asked of {line}.
        </Text>
      ))}
    </div>
  )
}

function ObjectDiff({ object: { object, change, fields } }: { readonly object: ObjectChangeView }) {
  const { icon: Icon, word } = WORDS[change]
  const head = (
    <>
      <span className={classes.mark} data-change={change}>
        <Icon size={13} aria-hidden />
      </span>
      <b className={classes.name}>{object}</b>
      <span className={classes.word}>
        {word}
        {fields.length > 0 && `, ${fieldCount(fields)}`}
      </span>
    </>
  )
  if (fields.length === 0) {
    return (
      <div className={classes.object}>
        <div className={classes.head}>{head}</div>
      </div>
    )
  }
  return (
    <details className={classes.object} open={change === 'changed'}>
      <summary className={classes.head}>
        <IconChevronRight size={14} className={classes.caret} aria-hidden />
        {head}
      </summary>
      <FieldChanges changes={fields} />
    </details>
  )
}

const fieldCount = (changes: readonly FieldChangeView[]): string => {
  const { length } = diffLines(changes)
  return length === 1 ? '1 field' : `${length} fields`
}

/** Field by field: the value before, the value after. */
export function FieldChanges({ changes }: { readonly changes: readonly FieldChangeView[] }) {
  return (
    <dl className={classes.lines}>
      {diffLines(changes).map(({ field, before, after }) => (
        <div key={field} className={classes.line}>
          <dt>{field}</dt>
          <dd>
            {before !== undefined && (
              <del>
                <span className="visually-hidden">before: </span>
                {before === '' ? '""' : before}
              </del>
            )}
            {after !== undefined && (
              <ins>
                <span className="visually-hidden">after: </span>
                {after === '' ? '""' : after}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
