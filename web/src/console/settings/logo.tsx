import { Button, FileButton, Group } from '@mantine/core'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay, useOrganization } from '../organization.ts'
import classes from './logo.module.css'
import { useSettings } from './use-settings.ts'

const MAX_WIDTH = 480
const MAX_HEIGHT = 160

/** Small enough to be part of the settings. */
async function shrunk(file: File): Promise<string> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name} is not an image that this browser can read`)
  })
  const scale = Math.min(1, MAX_WIDTH / image.width, MAX_HEIGHT / image.height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width * scale)
  canvas.height = Math.round(image.height * scale)
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/png')
}

export function OrganizationLogo() {
  const { id, name } = useOrganization()
  const writable = useMay().write('organizations')
  const { data, dataUpdatedAt } = useSettings()
  const save = useChange({
    run: async (api, file: File | null) =>
      api.management.PUT('/organizations/{id}', {
        params: { path: { id } },
        body: { settings: { logo: file ? await shrunk(file) : '' } },
      }),
    touches: [['settings']],
    done: (file) => (file ? 'Saved the logo' : 'Removed the logo'),
    quiet: true,
  })
  const { logo } = (data?.settings ?? {}) as { logo?: string }
  const present = logo?.startsWith('data:image/')
  return (
    <Section
      title="Logo"
      about="Shown at sign-in to an application, and in the portal"
      action={
        writable && (
          <Group gap="xs">
            {present && (
              <Button size="sm" variant="default" onClick={() => save.mutate(null)}>
                Remove logo
              </Button>
            )}
            <FileButton
              accept="image/png,image/jpeg,image/gif,image/webp"
              onChange={(file) => file && save.mutate(file)}
            >
              {(props) => (
                <Button {...props} size="sm" variant="default" loading={save.isPending}>
                  Upload logo
                </Button>
              )}
            </FileButton>
          </Group>
        )
      }
    >
      {present && (
        <img
          src={`/auth/users/organizations/${id}/logo?v=${dataUpdatedAt}`}
          alt={`Logo of ${name}`}
          className={classes.logo}
        />
      )}
      <Problem error={save.error} />
    </Section>
  )
}
