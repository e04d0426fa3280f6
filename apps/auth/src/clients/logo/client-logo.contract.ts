import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { client, later, now } from '../client.fixture.ts';
import type { ClientLogo } from './client-logo.ts';

/** Creates a logo that contains every byte value, with the given members. */
function logo(members: Partial<ClientLogo> = {}): ClientLogo {
  const bytes = Buffer.from(Array.from({ length: 1_024 }, (_, i) => i % 256));
  return { mediaType: 'image/png', bytes, digest: randomUUID(), createdAt: now, ...members };
}

/** Contract suite of client stores: logos. */
export function clientLogoContract(engine: Engine): void {
  describe('the logo of a client', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;

    async function insertWith(first: ClientLogo) {
      const added = client();
      await clients().insert(added);
      const withLogo = { ...added, logoDigest: first.digest, version: 2 };
      expect(await clients().replace(withLogo, 1, first)).toBe(true);
      return withLogo;
    }

    it('is stored with every member and byte, and read by a storage that is opened later', async () => {
      const full = logo({ mediaType: 'image/webp', createdAt: later });
      const { id } = await insertWith(full);
      expect(await clients().findLogo(id)).toStrictEqual(full);
      expect(await (await storage.openAnother()).clients.findLogo(id)).toStrictEqual(full);
      expect(await clients().find(id)).toMatchObject({ logoDigest: full.digest });
    });

    it('can have the maximum size', async () => {
      const large = logo({ bytes: Buffer.alloc(200_000, 7) });
      const { id } = await insertWith(large);
      expect((await clients().findLogo(id))?.bytes.equals(large.bytes)).toBe(true);
    });

    it('is replaced or removed by a change with a logo, and kept by any other change', async () => {
      const added = await insertWith(logo());
      const second = logo({ mediaType: 'image/jpeg', bytes: Buffer.from('second'), createdAt: later });
      await clients().replace({ ...added, logoDigest: second.digest, version: 3 }, 2, second);
      expect(await clients().findLogo(added.id)).toStrictEqual(second);
      await clients().replace({ ...added, logoDigest: second.digest, name: 'renamed', version: 4 }, 3);
      expect(await clients().findLogo(added.id)).toStrictEqual(second);
      await clients().replace({ ...added, logoDigest: null, version: 5 }, 4, null);
      expect(await clients().findLogo(added.id)).toBeUndefined();
      expect(await clients().find(added.id)).toMatchObject({ logoDigest: null });
    });

    it('is not changed if the client has another version or does not exist', async () => {
      const first = logo();
      const added = await insertWith(first);
      expect(await clients().replace({ ...added, version: 2 }, 1, logo())).toBe(false);
      expect(await clients().replace({ ...added, version: 2 }, 1, null)).toBe(false);
      expect(await clients().findLogo(added.id)).toStrictEqual(first);
      const absent = client();
      expect(await clients().replace({ ...absent, version: 2 }, 1, logo())).toBe(false);
      expect(await clients().findLogo(absent.id)).toBeUndefined();
    });

    it('is removed only with its client', async () => {
      const [removed, other] = [await insertWith(logo()), await insertWith(logo())];
      expect(await clients().remove(removed.id, removed.version)).toBe(true);
      expect(await clients().findLogo(removed.id)).toBeUndefined();
      expect(await clients().findLogo(other.id)).toBeDefined();
      await clients().insert(client({ id: removed.id }));
      expect(await clients().findLogo(removed.id)).toBeUndefined();
    });

    it('belongs to the change that won a race of two processes', async () => {
      const added = await Promise.all(Array.from({ length: 5 }, () => insertWith(logo())));
      const calls = added.flatMap((each) =>
        ['image/jpeg', 'image/webp'].map((mediaType): StorageCall => {
          const next = logo({ mediaType: mediaType as ClientLogo['mediaType'] });
          return ['clients', 'replace', { ...each, logoDigest: next.digest, version: 3 }, 2, next];
        }),
      );
      const results = await storage.raceInTwoProcesses(calls);
      expect(results.flat().filter((result) => result === true)).toHaveLength(added.length);
      for (const { id } of added) {
        const stored = await clients().findLogo(id);
        expect(stored?.digest).toBe((await clients().find(id))?.logoDigest);
        expect(stored?.mediaType).not.toBe('image/png');
      }
    });

    it('exists only together with its client when a change and a removal race', async () => {
      for (let i = 0; i < 5; i++) {
        const added = await insertWith(logo());
        const next = logo();
        const changed = { ...added, logoDigest: next.digest, version: 3 };
        await Promise.all([clients().replace(changed, 2, next), clients().remove(added.id, 2)]);
        const stored = await clients().find(added.id);
        expect((await clients().findLogo(added.id))?.digest).toBe(stored?.logoDigest);
      }
    });
  });
}
