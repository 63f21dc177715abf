/** Code that verifies signatures in receivers, the same as in docs/webhooks.md. */

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
    { language: 'PHP', code: php(name, word) },
    { language: 'Java', code: java(name) },
    { language: 'C#', code: cSharp(name) },
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

const php = (
  name: string,
  word: string,
) => `// $body: file_get_contents('php://input'); $signature: the header ${name}-Signature
function is_from_${word}(string $body, ?string $signature, string $secret): bool {
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature ?? '');
}`

const java = (name: string) => `import static java.nio.charset.StandardCharsets.UTF_8;
import java.security.*;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

// body: as it came; signature: the header ${name}-Signature
static boolean isFrom${pascal(name)}(byte[] body, String signature, String secret) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    String right = HexFormat.of().formatHex(mac.doFinal(body));
    return signature != null && MessageDigest.isEqual(right.getBytes(UTF_8), signature.getBytes(UTF_8));
}`

const cSharp = (name: string) => `using System.Security.Cryptography;
using System.Text;

// body: as it came; signature: the header ${name}-Signature
static bool IsFrom${pascal(name)}(byte[] body, string? signature, string secret)
{
    var right = Convert.ToHexString(HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), body)).ToLowerInvariant();
    return CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(right), Encoding.UTF8.GetBytes(signature ?? ""));
}`
