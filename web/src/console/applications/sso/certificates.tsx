import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconCheck, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { components } from '../../../../../client/index.ts'
import { dataOf } from '../../../api/organization.ts'
import { Copyable } from '../../../ui/copyable.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { instantOf, ZONE } from '../../../ui/time.ts'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import type { Application } from '../application.ts'
import { Expiry } from '../expiry.tsx'
import classes from './sso.module.css'

type Certificate = components['schemas']['ApplicationCertificate']

const ROLES: Record<Certificate['role'], string> = {
  current: 'Signs now',
  next: 'Signs next',
  previous: 'Signed before',
}

const keyOf = (id: string) => ['applications', id, 'certificates']

export const useCertificates = ({ id }: Application) =>
  useRead(keyOf(id), async (api) =>
    dataOf(
      await api.management.GET('/v2/applications/{application_id}/certificates', {
        params: { path: { application_id: id } },
      }),
    ),
  )

interface OwnCertificate {
  certificate: string
  privateKey: string
}

function useRotation({ id }: Application) {
  const params = { path: { application_id: id } }
  const touches = [['applications', id]]
  const add = useChange({
    run: (api, own: OwnCertificate | null) =>
      api.management.POST('/v2/applications/{application_id}/certificates', {
        params,
        body: own ?? {},
      }),
    touches,
    done: () => 'Added the next certificate to the metadata',
  })
  const promote = useChange({
    run: (api, at: string) =>
      api.management.POST('/v2/applications/{application_id}/certificates/promote', {
        params,
        body: at ? { at: instantOf(at) } : {},
      }),
    touches,
    done: (at) => (at ? 'Scheduled the rotation' : 'The next certificate signs now'),
  })
  const drop = useChange({
    run: (api) =>
      api.management.DELETE('/v2/applications/{application_id}/certificates/next', { params }),
    touches,
    done: () => 'Deleted the next certificate',
  })
  const goBack = useChange({
    run: (api) =>
      api.management.POST('/v2/applications/{application_id}/certificates/return', { params }),
    touches,
    done: () => 'The previous certificate signs again',
  })
  return { add, promote, drop, goBack }
}

/** Who has read metadata with this certificate: the only sign that the other side knows it. */
function Readiness({ certificate }: { certificate: Certificate }) {
  const [last] = certificate.fetchedBy
  return (
    <Stack gap={4}>
      <Text size="sm" component="div">
        <Tag tone="good" Icon={IconCheck}>
          Our side ready
        </Tag>{' '}
        in the metadata since <When time={certificate.created} />
      </Text>
      <Text size="sm" component="div">
        {last ? (
          <>
            <Tag tone="good" Icon={IconCheck}>
              Fetched
            </Tag>{' '}
            by{' '}
            {certificate.fetchedBy.length === 1
              ? 'one client'
              : `${certificate.fetchedBy.length} clients`}
            , last {last.address} <When time={last.lastAt} />
          </>
        ) : (
          <>
            <Tag tone="warn" Icon={IconAlertTriangle}>
              Not fetched
            </Tag>{' '}
            Nobody has read the metadata with it. A service provider that does not read it needs the
            certificate by hand.
          </>
        )}
      </Text>
    </Stack>
  )
}

function Promotion({
  certificate,
  rotation,
}: {
  certificate: Certificate
  rotation: ReturnType<typeof useRotation>
}) {
  const [at, setAt] = useState('')
  return (
    <Stack gap="xs">
      {certificate.promoteAt && (
        <Text size="sm" component="div">
          Takes over <When time={certificate.promoteAt} />
        </Text>
      )}
      <Group align="flex-end" gap="xs">
        <TextInput
          size="xs"
          type="datetime-local"
          label={`Take over at, in ${ZONE} (empty: now)`}
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        <Button size="xs" onClick={() => rotation.promote.mutate(at)}>
          {at ? 'Schedule rotation' : 'Rotate now'}
        </Button>
        <Button size="xs" variant="default" onClick={() => rotation.drop.mutate()}>
          Delete next
        </Button>
      </Group>
    </Stack>
  )
}

function OwnForm({
  close,
  add,
  busy,
}: {
  close: () => void
  add: (pair: OwnCertificate) => void
  busy: boolean
}) {
  const form = useForm<OwnCertificate>({ initialValues: { certificate: '', privateKey: '' } })
  return (
    <form onSubmit={form.onSubmit(add)}>
      <Stack>
        <Textarea
          size="sm"
          label="Certificate"
          placeholder="-----BEGIN CERTIFICATE-----"
          autosize
          minRows={4}
          maxRows={10}
          required
          {...form.getInputProps('certificate')}
        />
        <Textarea
          size="sm"
          label="Private key"
          description="It is never shown again"
          placeholder="-----BEGIN PRIVATE KEY-----"
          autosize
          minRows={4}
          maxRows={10}
          required
          {...form.getInputProps('privateKey')}
        />
        <Group justify="flex-end">
          <Button size="sm" variant="default" onClick={close}>
            Cancel
          </Button>
          <Button size="sm" type="submit" loading={busy}>
            Publish certificate
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Certificates and their rotation: the next is published first, and signs when both sides know it. */
export function CertificatesPanel({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const { data, error } = useCertificates(application)
  const rotation = useRotation(application)
  const [own, { open, close }] = useDisclosure()
  const has = (role: Certificate['role']) => data?.some((each) => each.role === role)
  return (
    <Panel
      title="Certificates"
      action={
        writable &&
        data &&
        !has('next') && (
          <Button
            size="sm"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={rotation.add.isPending}
            onClick={() => rotation.add.mutate(null)}
          >
            Start rotation
          </Button>
        )
      }
    >
      <Problem error={error} />
      {data?.map((certificate) => (
        <div key={certificate.id} className={classes.certificate}>
          <Group justify="space-between">
            <Text fw={600} size="sm">
              {ROLES[certificate.role]}
            </Text>
            <Text size="sm" c="dimmed" component="div">
              expires <Expiry time={certificate.notAfter} />
            </Text>
          </Group>
          <Copyable label="fingerprint" value={certificate.fingerprint} />
          <Group gap="xs" my={4}>
            <Copyable label="as PEM" value={certificate.certificate} shown="Copy as PEM" />
          </Group>
          {certificate.role === 'next' && <Readiness certificate={certificate} />}
          {certificate.role === 'next' && writable && (
            <Promotion certificate={certificate} rotation={rotation} />
          )}
          {certificate.role === 'previous' && writable && (
            <Button size="xs" variant="default" onClick={() => rotation.goBack.mutate()}>
              Return to this one
            </Button>
          )}
        </div>
      ))}
      {writable && data && !has('next') && (
        <div>
          <Button size="compact-sm" variant="subtle" onClick={open}>
            Rotate to your own certificate
          </Button>
        </div>
      )}
      <Modal opened={own} onClose={close} title="Your own certificate, to sign next" size="lg">
        <OwnForm
          close={close}
          add={(pair) => rotation.add.mutate(pair, { onSuccess: close })}
          busy={rotation.add.isPending}
        />
      </Modal>
    </Panel>
  )
}
