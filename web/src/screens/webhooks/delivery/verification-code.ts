/** How receivers check a signature, to be copied. The same as in docs/webhooks.md. */

export interface CodeSample {
  readonly language: string
  readonly code: string
}

export function verificationCode(brand: string): readonly CodeSample[] {
  const name = brand.charAt(0).toUpperCase() + brand.slice(1)
  const word = brand.replaceAll(/[^a-z0-9]/g, '_')
  return [
    { language: 'JavaScript', code: javaScript(name) },
    { language: 'Python', code: python(name, word) },
    { language: 'Ruby', code: ruby(name, word) },
    { language: 'Go', code: go(name) },
  ]
}

const pascal = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '')

const javaScript = (name: string) => `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the Buffer as it came; signature: the header ${name}-Signature
function isFrom${pascal(name)}(body, signature, secret) {
  const right = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'))
  const given = Buffer.from(signature ?? '')
  return given.length === right.length && timingSafeEqual(given, right)
}`

const python = (name: string, word: string) => `import hashlib, hmac

# body: the bytes as they came; signature: the header ${name}-Signature
def is_from_${word}(body: bytes, signature: str, secret: str) -> bool:
    right = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(right, signature or "")`

const ruby = (name: string, word: string) => `# body: as it came; signature: the header ${name}-Signature
def from_${word}?(body, signature, secret)
  Rack::Utils.secure_compare(OpenSSL::HMAC.hexdigest('SHA256', secret, body), signature.to_s)
end`

const go = (name: string) => `// body: as it came; signature: the header ${name}-Signature
func isFrom${pascal(name)}(body []byte, signature, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}`
