import { Elysia } from 'elysia'
import type { Gateway } from './gateway'

/** `handle` is the application that contains these routes. */
export function gatewayRoutes(gateway: Gateway, handle: (request: Request) => Promise<Response>) {
  const hook = { parse: 'none', detail: { hide: true } } as const
  const pass = ({ request }: { request: Request }) => gateway.pass(request, handle)
  const path = '/console/v2/*'
  return new Elysia({ name: 'console-gateway' })
    .get(path, pass, hook)
    .post(path, pass, hook)
    .put(path, pass, hook)
    .patch(path, pass, hook)
    .delete(path, pass, hook)
}
