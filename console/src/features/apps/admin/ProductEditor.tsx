import { Button, FileButton, Group, Input, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useState } from 'react'
import { refusalsOf } from '../../../components/forms/index.ts'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { ProductCreate, ProductView } from '../../../lib/api/contract.ts'
import { problemOf } from '../../../lib/api/problem.ts'
import { ICON_TYPES, iconProblem } from '../icon.ts'
import { api } from '../paths.ts'
import { ProductIcon } from '../ProductIcon.tsx'
import { useWrite } from '../use-write.ts'

interface ProductEditorProps {
  /** Absent: a new one. */
  readonly product?: ProductView
  readonly onClose: () => void
  readonly onSaved: (product: ProductView) => void
}

export function ProductEditor({ product, onClose, onSaved }: ProductEditorProps) {
  const [name, setName] = useState(product?.name ?? '')
  const [description, setDescription] = useState(product?.description ?? '')
  const [icon, setIcon] = useState(product?.icon ?? null)
  const [wrongIcon, setWrongIcon] = useState<string>()
  const save = useWrite<ProductView, ProductCreate>(
    (client, body, idempotencyKey) =>
      product
        ? client.patch(api.product(product.id), body, { idempotencyKey })
        : client.post('/products', body, { idempotencyKey }),
    onSaved,
  )
  const refused = save.error === null ? undefined : refusalsOf(problemOf(save.error)).plain
  const take = async (file: File | null): Promise<void> => {
    if (file === null) return
    const problem = iconProblem(file)
    setWrongIcon(problem)
    if (problem === undefined) setIcon(await dataUrl(file))
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={product ? `Edit ${product.name}` : 'New product'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ name: name.trim(), description: description.trim() || null, icon })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            maxLength={100}
            data-autofocus
            value={name}
            error={refused?.get('name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            description="What it is and for whom, in a sentence or two."
            autosize
            minRows={3}
            maxRows={10}
            maxLength={4000}
            value={description}
            error={refused?.get('description')}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Input.Wrapper label="Icon" error={wrongIcon ?? refused?.get('icon')} labelElement="div">
            <Group gap="sm" mt={4}>
              <ProductIcon name={name || '?'} icon={icon} size={48} />
              <FileButton onChange={(file) => void take(file)} accept={ICON_TYPES.join(',')}>
                {(props) => (
                  <Button {...props} size="xs" variant="default" leftSection={<IconPhoto size={14} aria-hidden />}>
                    Choose an image
                  </Button>
                )}
              </FileButton>
              {icon !== null && (
                <Button size="xs" variant="subtle" color="gray" onClick={() => setIcon(null)}>
                  Remove
                </Button>
              )}
            </Group>
          </Input.Wrapper>
          {save.error !== null && <ProblemView compact error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              {product ? 'Save' : 'Create product'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

async function dataUrl(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return `data:${file.type};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}
