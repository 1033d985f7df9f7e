import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ComponentType, Ref } from 'react'

// The router's types describe one router for the whole program, and the portal's has them. Here paths are plain text.

export type Search = Record<string, string>

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  to: string
  search?: Search
  activeOptions?: { exact?: boolean; includeSearch?: boolean }
  ref?: Ref<HTMLAnchorElement>
}

export const PlainLink = Link as unknown as ComponentType<LinkProps>

interface Target {
  to: string
  search?: Search
  replace?: boolean
}

export const usePlainNavigate = () => useNavigate() as unknown as (target: Target) => Promise<void>

export const usePath = () =>
  useParams({ strict: false }) as { organization?: string; id?: string; tab?: string }

export const useAddress = () => useSearch({ strict: false }) as Search

/** A page below the organization shown, such as `users/5f…`. */
export function To({ to, ...props }: LinkProps) {
  const { organization } = usePath()
  return <PlainLink to={`/${organization}/${to}`} {...props} />
}

export function useGo() {
  const { organization } = usePath()
  const navigate = usePlainNavigate()
  return (to: string, options: Omit<Target, 'to'> = {}) =>
    navigate({ to: `/${organization}/${to}`, ...options })
}
