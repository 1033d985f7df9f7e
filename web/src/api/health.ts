import { send } from './session.ts'

interface Health {
  status: string
  reason?: string
  warnings?: string[]
  details?: { mail: 'configured' | 'not configured' }
}

/** Whether the process that answers is ready; it is public, and about no organization. */
export async function readHealth(): Promise<Health> {
  return (await send(new Request('/readyz'))).json()
}
