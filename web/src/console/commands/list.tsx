import { IconTerminal2 } from '@tabler/icons-react'
import { paramsV1 } from '../../api/list.ts'
import { pageOfV1 } from '../../api/organization.ts'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { ResourceList } from '../resource/resource-list.tsx'
import { type Command, commandKey, ROOT, readCommand, TYPES } from './command.ts'
import { CreateCommand } from './create-command.tsx'
import { whenOf } from './schedule.ts'
import { SIBLINGS } from './siblings.ts'

const fields = 'name description commandType launchType schedule scheduleYear trigger user timeout'

const commands: ListDeclaration<Command> = {
  path: 'commands',
  title: 'Commands',
  one: 'command',
  many: 'commands',
  scope: 'commands',
  Icon: IconTerminal2,
  load: async (api, query) =>
    pageOfV1(
      await api.management.GET('/commands', { params: { query: { ...paramsV1(query), fields } } }),
    ),
  idOf: ({ id }) => id,
  first: {
    id: 'name',
    label: 'Name',
    width: 'minmax(12rem, 1.5fr)',
    sort: 'name',
    cell: ({ name }) => name,
  },
  columns: [
    {
      id: 'description',
      label: 'Description',
      width: 'minmax(10rem, 2fr)',
      cell: ({ description }) => description,
    },
    {
      id: 'type',
      label: 'For',
      width: '6rem',
      sort: 'commandType',
      cell: ({ commandType }) => commandType && TYPES[commandType],
    },
    {
      id: 'when',
      label: 'Runs',
      width: 'minmax(10rem, 1fr)',
      sort: 'launchType',
      cell: whenOf,
    },
    {
      id: 'user',
      label: 'As',
      width: '6rem',
      hidden: true,
      cell: ({ user }) => (user === ROOT ? 'root' : user ? 'a user' : '–'),
    },
    {
      id: 'timeout',
      label: 'Time limit',
      width: '6rem',
      hidden: true,
      cell: ({ timeout }) => `${timeout} s`,
    },
  ],
  filters: [
    {
      id: 'type',
      label: 'For',
      field: 'commandType',
      options: Object.entries(TYPES).map(([value, label]) => ({ value, label })),
    },
    {
      id: 'when',
      label: 'Runs',
      field: 'launchType',
      options: [
        { value: 'manual', label: 'By hand' },
        { value: 'repeated', label: 'Repeatedly' },
        { value: 'one-time', label: 'Once' },
        { value: 'trigger', label: 'By a trigger' },
      ],
    },
    { id: 'trigger', label: 'Trigger', field: 'trigger' },
  ],
  defaultSort: 'name',
  ahead: (organization, { id }) => readAhead(organization, commandKey(id), readCommand(id)),
  empty: 'Scripts that run on your devices: now, on a schedule, or when something calls a trigger.',
  siblings: SIBLINGS,
  create: { label: 'Add command', form: (close) => <CreateCommand close={close} /> },
}

export const List = () => <ResourceList list={commands} />
