import type { Recognise } from '../people/recognise.ts';
import type { Viewer } from '../people/viewer.ts';
import { type ChangeFeed, type FeedQuery, feedOf } from './change-feed.ts';
import type { DividedPage } from './feed-page.ts';
import type { FeedWatch } from './feed-watch.ts';

export interface FollowDeps {
  feed: ChangeFeed;
  watch: FeedWatch;
  recognise: Recognise;
  /** At the latest after this time there is a page, though it be empty. */
  beatMs?: number | undefined;
}

/**
 * Reads a feed to its end, and from then on whatever is added to it, until `signal` is aborted. A page is empty when
 * nothing was added for a while. Nothing is held between two pages but memory.
 *
 * @throws {AppError} as `ChangeFeed.read`
 */
export type Follow = (viewer: Viewer, query: FeedQuery, signal: AbortSignal) => AsyncGenerator<DividedPage>;

const BEAT_MS = 15_000;

export function createFollow({ feed, watch, recognise, beatMs = BEAT_MS }: FollowDeps): Follow {
  return async function* follow(viewer, query, signal) {
    let reader = feedOf(viewer);
    let subscription = watch.subscribe(reader, signal);
    let since = query.since;
    try {
      for (;;) {
        const page = await feed.read(viewer, { ...query, since });
        yield page;
        since = page.position;
        if (page.has_more) continue;
        await subscription.next(beatMs);
        if (signal.aborted) return;
        viewer = await recognise(viewer);
        if (reader === feedOf(viewer)) continue;
        // The first that was written for somebody has given them a feed.
        reader = feedOf(viewer);
        subscription.close();
        subscription = watch.subscribe(reader, signal);
      }
    } finally {
      subscription.close();
    }
  };
}
