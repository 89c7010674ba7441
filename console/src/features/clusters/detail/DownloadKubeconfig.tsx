import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { momentText } from '../../../lib/age.ts'
import { useApi } from '../../../lib/api/context.tsx'
import type { ClusterView, KubeconfigCreate, KubeconfigView } from '../../../lib/api/contract.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { api as paths } from '../paths.ts'

const LIFETIMES = [
  { value: '600', label: '10 minutes' },
  { value: '3600', label: 'One hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: 'One day' },
]

interface DownloadKubeconfigProps {
  readonly cluster: ClusterView
  readonly onClose: () => void
}

/** The kubeconfig goes into a file and is kept nowhere else: only when it expires is remembered. */
export function DownloadKubeconfig({ cluster, onClose }: DownloadKubeconfigProps) {
  const api = useApi()
  const [seconds, setSeconds] = useState('3600')
  const download = useMutation<string>({
    mutationFn: async () => {
      const body: KubeconfigCreate = { expires_in_seconds: Number(seconds) }
      const { kubeconfig, expires_at: expires } = await api.post<KubeconfigView>(
        `${paths.cluster(cluster)}/kubeconfig`,
        body,
      )
      saveFile(`${cluster.name}.kubeconfig.yaml`, kubeconfig)
      return expires
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Kubeconfig of ${cluster.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Alert variant="default" icon={<IconAlertTriangle size={18} aria-hidden />} title="For administrators">
          Whoever has the file can do everything in the cluster until it expires. It cannot be revoked alone. Caelus
          records in the audit that you asked for it, and stores no copy.
        </Alert>
        <Select
          label="Expires after"
          data={LIFETIMES}
          value={seconds}
          allowDeselect={false}
          onChange={(value) => setSeconds(value ?? '3600')}
        />
        {download.data !== undefined && (
          <Text size="sm" role="status">
            Downloaded. It expires on {momentText(download.data)}.
          </Text>
        )}
        {download.error !== null && <ProblemView compact error={download.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
