import { BY_HAND_ONLY, findGroupsToJoin } from '../groups/find.ts'
import type { BulkForm } from '../resource/list-declaration.ts'
import { Picker } from '../resource/picker.tsx'
import { joinGroup } from './bulk.ts'

export const JoinGroupForm = ({ ids, start }: BulkForm) => (
  <Picker
    label="Group"
    description={BY_HAND_ONLY}
    kind="groups-to-join"
    find={findGroupsToJoin}
    pick={(group) => start(joinGroup(ids, group))}
  />
)
