import type { Tx } from './db/index.ts'

/**
 * Notifies higher slices: `on` subscribes, `fire` calls the listeners. They run sequentially in the transaction of the
 * change, so their effects commit or roll back with it. Never fire inside a `Promise.all`: a listener still running
 * when another statement fails would outlive its transaction.
 */
export interface Hook<Actor, Change> {
  on(listener: Listener<Actor, Change>): void
  /** For a listener that needs fewer statements when it hears of all changes at once. */
  onAll(listener: Listener<Actor, readonly Change[]>): void
  /** Several changes that are made together. */
  fire(tx: Tx, actor: Actor, ...changes: Change[]): Promise<void>
}

export type Listener<Actor, Change> = (tx: Tx, actor: Actor, change: Change) => Promise<unknown>

export function hook<Actor, Change>(): Hook<Actor, Change> {
  const listeners: Listener<Actor, readonly Change[]>[] = []
  return {
    on: (listener) => {
      listeners.push(async (tx, actor, changes) => {
        for (const change of changes) await listener(tx, actor, change)
      })
    },
    onAll: (listener) => {
      listeners.push(listener)
    },
    async fire(tx, actor, ...changes) {
      for (const listener of listeners) await listener(tx, actor, changes)
    },
  }
}
