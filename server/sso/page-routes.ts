import type { FastifyReply } from 'fastify'
import { type Page, policyOf } from './pages.ts'

/** How every page of this slice is sent. */
export const sendPage = (reply: FastifyReply, page: Page) =>
  reply
    .code(page.status)
    .header('content-security-policy', policyOf(page))
    .header('cache-control', 'no-store')
    // The service provider sees which origin the form came from; without it, some take it for forged.
    .header('referrer-policy', 'strict-origin')
    .type('text/html; charset=utf-8')
    .send(page.body)
