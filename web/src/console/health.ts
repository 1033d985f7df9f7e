import { useQuery } from '@tanstack/react-query'
import { readHealth } from '../api/health.ts'

const POLL_MS = 15_000

/** The state of the service, which belongs to no organization. */
export const useHealth = () =>
  useQuery({ queryKey: ['health'], queryFn: readHealth, refetchInterval: POLL_MS })
