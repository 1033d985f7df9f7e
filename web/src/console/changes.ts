import { type QueryKey, useMutation } from '@tanstack/react-query'
import { type Api, type ApiCall, apiOf } from '../api/organization.ts'
import { confirmed } from './confirmation.ts'
import { notifyDone, notifyFailure } from './notices.tsx'
import { useOrganization } from './organization.ts'
import { keyOf } from './reads.ts'
import { csrfToken, queries } from './session.ts'

const MAX_CALLS = 5
let made: ApiCall[] = []

/** The last changes, newest first. */
export const madeCalls = (): ApiCall[] => made
export const forgetMadeCalls = (): void => {
  made = []
}

interface Change<I, R> {
  run: (api: Api, input: I) => Promise<R>
  /** Starts of the keys of what may have changed. */
  touches: QueryKey[]
  /** Words for a notice, such as "Suspended Noor Haddad". */
  done?: (input: I, result: R) => string
  /** Takes the change back; the notice offers it for ten seconds. */
  undo?: (api: Api, input: I, result: R) => Promise<unknown>
  after?: (result: R, input: I) => void
  /** Shown at once, and taken back if the server refuses. */
  expect?: { key: QueryKey; change: (cached: never, input: I) => unknown }
  /** The form shows the error at its fields. */
  quiet?: boolean
}

export function useChange<I = void, R = unknown>(change: Change<I, R>) {
  const { id: organization } = useOrganization()
  const record = (call: ApiCall) => {
    made = [call, ...made].slice(0, MAX_CALLS)
  }
  const api = () => apiOf({ organization, csrfToken, onCall: record })
  const refresh = () =>
    Promise.all(
      change.touches.map((key) =>
        queries.invalidateQueries({ queryKey: keyOf(organization, key) }),
      ),
    )
  const undone = () => {
    notifyDone('Undone')
    return refresh()
  }
  return useMutation({
    mutationFn: (input: I) => confirmed(() => change.run(api(), input)),
    onMutate: async (input: I) => {
      // What is expected may draw the page again, with other options than those of this change.
      const { undo } = change
      if (!change.expect) return { undo }
      const queryKey = keyOf(organization, change.expect.key)
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      if (before !== undefined)
        queries.setQueryData(queryKey, change.expect.change(before as never, input))
      return { undo, expected: { queryKey, before } }
    },
    onError: (error, _, started) => {
      const expected = started?.expected
      if (expected) queries.setQueryData(expected.queryKey, expected.before)
      if (!change.quiet) notifyFailure(error)
    },
    onSuccess: (result, input, { undo }) => {
      const takeBack = undo && (() => undo(api(), input, result).then(undone, notifyFailure))
      if (change.done) notifyDone(change.done(input, result), takeBack)
      change.after?.(result, input)
    },
    // Also after an error: a refused change may mean that the page is out of date.
    onSettled: () => void refresh(),
  })
}
