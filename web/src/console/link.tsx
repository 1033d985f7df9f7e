import { Link, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ComponentType, MouseEvent, ReactNode, Ref } from 'react'

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

interface RowLinkProps {
  href: string
  className?: string | undefined
  children: ReactNode
}

/** The same for the many rows of a table, which know their address: the router's own links each work it out anew. */
export function RowLink({ href, className, children }: RowLinkProps) {
  const { history } = useRouter()
  const follow = (event: MouseEvent) => {
    // The browser opens a new tab or window itself.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    history.push(href)
  }
  return (
    <a href={href} className={className} onClick={follow}>
      {children}
    </a>
  )
}

/** The address of a page below the organization shown, for `RowLink`. */
export function useAddressOf() {
  const { organization } = usePath()
  return (to: string, search: Search = {}) => {
    const query = new URLSearchParams(search).toString()
    return `/console/${organization}/${to}${query && `?${query}`}`
  }
}

export function useGo() {
  const { organization } = usePath()
  const navigate = usePlainNavigate()
  return (to: string, options: Omit<Target, 'to'> = {}) =>
    navigate({ to: `/${organization}/${to}`, ...options })
}
