import { Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { CopyLine } from '../../ui/copy-line.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { instantOf, localOf, ZONE } from '../../ui/time.ts'
import { useMay } from '../organization.ts'
import type { Command, CommandWrite } from './command.ts'
import { useSave } from './save.ts'
import { cronOf, momentOf, onceOf, type Repeat, repeatOf, WEEKDAYS } from './schedule.ts'

type Launch = 'manual' | 'repeated' | 'one-time' | 'trigger'

interface Values extends Repeat {
  launch: Launch
  once: string
  trigger: string
}

const launchOf = ({ launchType }: Command): Launch =>
  launchType === 'scheduled' || launchType === 'repeated'
    ? 'repeated'
    : launchType === 'one-time' || launchType === 'trigger'
      ? launchType
      : 'manual'

function valuesOf(command: Command): Values {
  const { schedule = '', scheduleYear, trigger = '' } = command
  const launch = launchOf(command)
  const moment = launch === 'one-time' ? momentOf(schedule, scheduleYear) : null
  return {
    ...repeatOf(launch === 'repeated' ? schedule : ''),
    launch,
    once: moment ? localOf(moment.getTime()) : '',
    trigger,
  }
}

function writeOf({ launch, once, trigger, ...repeat }: Values): Partial<CommandWrite> {
  const nothing = { schedule: '', scheduleYear: null, scheduleRepeatType: '', trigger: '' }
  switch (launch) {
    case 'manual':
      return { ...nothing, launchType: 'manual' }
    case 'trigger':
      return { ...nothing, launchType: 'trigger', trigger }
    case 'one-time':
      return { ...nothing, launchType: 'one-time', ...onceOf(new Date(instantOf(once))) }
    case 'repeated':
      return {
        ...nothing,
        launchType: 'repeated',
        schedule: cronOf(repeat),
        scheduleRepeatType: repeat.every === 'custom' ? '' : repeat.every,
      }
  }
}

const EVERY = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'custom', label: 'Cron expression' },
]
const DAYS = Array.from({ length: 28 }, (_, at) => String(at + 1))

function RepeatFields({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  const { every } = form.values
  return (
    <Group align="flex-end">
      <Select
        w={180}
        label="Every"
        allowDeselect={false}
        data={EVERY}
        {...form.getInputProps('every')}
      />
      {every === 'week' && (
        <Select
          w={160}
          label="On"
          allowDeselect={false}
          data={WEEKDAYS.map((label, at) => ({ value: String(at), label }))}
          {...form.getInputProps('weekday')}
        />
      )}
      {every === 'month' && (
        <Select
          w={100}
          label="On day"
          allowDeselect={false}
          data={DAYS}
          {...form.getInputProps('day')}
        />
      )}
      {every === 'custom' ? (
        <TextInput
          size="sm"
          w={240}
          label="Cron, seconds first, in UTC"
          placeholder="0 30 4 * * 1-5"
          {...form.getInputProps('cron')}
        />
      ) : (
        <TextInput
          size="sm"
          w={150}
          type="time"
          required
          withAsterisk={false}
          label={every === 'hour' ? 'At the minute of' : 'At, in UTC'}
          {...form.getInputProps('at')}
        />
      )}
    </Group>
  )
}

/** When it runs by itself. */
export function ScheduleTab({ command }: { command: Command }) {
  const writable = useMay().write('commands')
  const form = useForm<Values>({ initialValues: valuesOf(command) })
  const save = useSave(command, 'Saved the schedule', () => form.resetDirty(form.values))
  const { launch, trigger } = form.values
  const call = `curl -X POST -H "x-api-key: $KEY" ${window.location.origin}/api/command/trigger/${encodeURIComponent(trigger)}`
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(writeOf(values)))}>
      <Stack maw={720}>
        <Section title="When it runs" about="It can be run by hand at any time, too.">
          <fieldset disabled={!writable} style={{ border: 0, padding: 0, margin: 0 }}>
            <Stack>
              <Radio.Group aria-label="When it runs" {...form.getInputProps('launch')}>
                <Stack gap="xs">
                  <Radio value="manual" label="By hand only" />
                  <Radio value="repeated" label="Repeatedly" />
                  <Radio value="one-time" label="Once, at a moment" />
                  <Radio value="trigger" label="When a trigger is called" />
                </Stack>
              </Radio.Group>
              {launch === 'repeated' && <RepeatFields form={form} />}
              {launch === 'one-time' && (
                <TextInput
                  size="sm"
                  w={260}
                  type="datetime-local"
                  label={`At, in ${ZONE}`}
                  required
                  withAsterisk={false}
                  {...form.getInputProps('once')}
                />
              )}
              {launch === 'trigger' && (
                <>
                  <TextInput
                    size="sm"
                    w={260}
                    label="Name of the trigger"
                    required
                    withAsterisk={false}
                    {...form.getInputProps('trigger')}
                  />
                  {trigger !== '' && (
                    <div>
                      <Text size="sm" c="dimmed" mb={4}>
                        The body of the call reaches the script as $GATEHOUSE_PAYLOAD:
                      </Text>
                      <CopyLine text={call} />
                    </div>
                  )}
                </>
              )}
            </Stack>
          </fieldset>
        </Section>
        <Problem error={save.error} />
        {writable && (
          <SaveBar
            label="Save schedule"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}
