import { findGroupsToJoin } from '../groups/find.ts'
import type { BulkForm } from '../resource/list-declaration.ts'
import { Picker } from '../resource/picker.tsx'
import { joinGroup } from './bulk.ts'

export const JoinGroupForm = ({ ids, start }: BulkForm) => (
  <Picker
    label="Group"
    kind="groups-to-join"
    find={findGroupsToJoin}
    pick={(group) => start(joinGroup(ids, group))}
  />
)
