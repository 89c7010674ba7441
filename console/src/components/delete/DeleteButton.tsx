import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'

/** Begins the deletion of the object that a page is about; nothing is lost before it is confirmed. */
export const DeleteButton = ({ onClick }: { readonly onClick: () => void }) => (
  <Button variant="default" c="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={onClick}>
    Delete
  </Button>
)
