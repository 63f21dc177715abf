import { expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService({ appUrl: 'https://crm.example.com' })

const get = (path: string) => service.request('GET', path, undefined, { key: null })

test('200 with the endpoints and methods of the authorization server', async () => {
  const { status, body, headers } = await get('/.well-known/oauth-authorization-server')
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(body).toMatchObject({
    issuer: 'https://crm.example.com',
    authorization_endpoint: 'https://crm.example.com/authorize',
    token_endpoint: 'https://crm.example.com/oauth/token',
    introspection_endpoint: 'https://crm.example.com/oauth/introspect',
    revocation_endpoint: 'https://crm.example.com/oauth/revoke',
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
  })
  expect(body.scopes_supported).toContain('record_permission:read-write')
})

test('200 with the authorization server of this resource', async () => {
  expect((await get('/.well-known/oauth-protected-resource')).body).toMatchObject({
    resource: 'https://crm.example.com',
    authorization_servers: ['https://crm.example.com'],
    bearer_methods_supported: ['header'],
  })
})

test('pages of other origins may call the token endpoint, without cookies', async () => {
  const preflight = await service.request('OPTIONS', '/oauth/token', undefined, { key: null })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
})
