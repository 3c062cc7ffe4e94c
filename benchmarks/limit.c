/* The flow of a message of av1 as a small C program: a floor for the CPU time per message on this machine.

   Hosts talk with exponential pauses. A message crosses the uplink, is processed at the station of its source, crosses
   the wire with jitter, is processed at the station of its destination, crosses the downlink and is delivered. The
   first station and the destination acknowledge it over the air. Hosts do not move, and their work on frames takes no
   time. A link or a station that serves one thing after another is the time at which it becomes free.

   The ordering is that of Raynal, Schiper and Toueg with versions of rows, as in protocols/orderings/rst.py: a message
   carries a copy of the vector of versions of its source, and a delivery takes the maximum of two vectors. The oracle
   has vector clocks of its own, and checks each delivery. A delivery writes a record of FIELDS numbers into a file.

   usage: limit MESSAGES FILE. Prints counts and the CPU time of the message loop in seconds as JSON. */

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A test compiles the program with other values. */
#ifndef HOSTS
#define HOSTS 1000
#endif
#ifndef STATIONS
#define STATIONS 100
#endif
#ifndef PAUSE
#define PAUSE 1e9
#endif
#ifndef ORDERED
#define ORDERED 1
#endif

/* Times are nanoseconds. Lengths are transmission times: 124 and 24 bytes at 1 Mbit/s, and, at 1 Gbit/s, a message
   with a matrix of HOSTS x HOSTS integers of 4 bytes. A station works 10 us on a message, and 1 ns on each integer of
   the matrix, and on the two of the packet's addresses. */
#define JITTER 2e6
#define AIR_LATENCY 500000
#define WIRE_LATENCY 7000000
#define AIR_MESSAGE 992000
#define AIR_ACK 192000
#define WIRE_MESSAGE (992 + 32LL * HOSTS * HOSTS)
#define WORK (10000 + 1LL * HOSTS * HOSTS + 2)

#define FIELDS 39
#define NEVER (-1)
#define LARGEST_CLOCK UINT16_MAX
#define MIXER 0x2545F4914F6CDD1DULL
#define CHUNK 256

/* The fields of a record, in the order of mobilesim/recording/delivery_record.py. */
enum {
    MESSAGE, SOURCE, DESTINATION, PAYLOAD_BYTES, SUBMITTED, RETRANSMISSIONS, STATIONS_PASSED, FORWARDS,
    HEADER_INTEGERS, HEADER_UNITS, HELD, UPLINK_STARTED, SENDER_AWAY, ACCEPTED, SOURCE_STATION, SEARCH_STARTED,
    STAMPED, SENT, LANDED, FIRST, STATION, ARRIVED, ARRIVED_AWAY, HANDED, HANDED_AWAY, DOWNLINK_STARTED, HEARD,
    HEARD_AWAY, DELIVERABLE, DELIVERABLE_AWAY, IDEAL, IDEAL_AWAY, DELIVERED, DELIVERED_AWAY, OVERTAKEN, WAITED_FOR,
    CONTROL_FROM, SENDER_WORK, RECEIVER_WORK
};

typedef struct Message {
    struct Message *next; /* the next free or waiting message */
    int source, destination, received;
    int32_t version;           /* the number of this send of the source, for the ordering */
    uint16_t number;           /* and for the oracle */
    int64_t record[FIELDS];
    int32_t versions[HOSTS];   /* the stamp: for each host, the number of its sends that happened before */
    uint16_t clock[HOSTS];
} Message;

typedef enum { TALK, AT_STATION, STAMPING, AT_SOURCE, AT_OTHER_STATION, READ, AT_HOST, ACKNOWLEDGED } Kind;

typedef struct {
    int64_t time;
    uint64_t order;
    Kind kind;
    int host;
    Message *message;
} Event;

/* The messages to a host that are not yet released (for the ordering) or not yet delivered (for the oracle). */
typedef struct {
    Message **items;
    int count, room;
} Pending;

typedef struct {
    int64_t messages, deliveries, causal_checks, violations, waits, records, acknowledgements, events;
} Counts;

static Event *heap;
static int heap_count, heap_room;
static uint64_t scheduled, seed = 1;
static int64_t now, left;
static int64_t up[HOSTS], down[HOSTS], busy[STATIONS], wire[STATIONS][STATIONS];
static int32_t known[HOSTS][HOSTS];
static uint16_t clocks[HOSTS][HOSTS];
static Pending unreleased[HOSTS], due[HOSTS];
static Message *waiting[HOSTS], *unused;
static Counts count;
static FILE *file;

static void fail(const char *what) {
    fprintf(stderr, "limit: %s\n", what);
    exit(1);
}

static void *resized(void *old, size_t size) {
    void *memory = realloc(old, size);
    if (!memory) fail("out of memory");
    return memory;
}

/* Random numbers. */

static double uniform(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return ((double)(seed * MIXER >> 11) + 0.5) / 9007199254740992.0;
}

static int64_t exponential(double mean) { return (int64_t)(-log(uniform()) * mean); }

/* The queue of events: a binary heap, ordered by time and then by the order of scheduling. */

static int precedes(const Event *one, const Event *other) {
    return one->time != other->time ? one->time < other->time : one->order < other->order;
}

static void push(int64_t time, Kind kind, int host, Message *message) {
    Event event = {time, scheduled++, kind, host, message};
    if (heap_count == heap_room) {
        heap_room = heap_room ? 2 * heap_room : CHUNK;
        heap = resized(heap, (size_t)heap_room * sizeof *heap);
    }
    int place = heap_count++;
    for (; place && precedes(&event, &heap[(place - 1) / 2]); place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = event;
}

static Event pop(void) {
    Event top = heap[0], last = heap[--heap_count];
    int place = 0, child;
    while ((child = 2 * place + 1) < heap_count) {
        if (child + 1 < heap_count && precedes(&heap[child + 1], &heap[child])) child++;
        if (!precedes(&heap[child], &last)) break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return top;
}

/* Messages are allocated in chunks and used again. */

static Message *new_message(void) {
    if (!unused) {
        Message *chunk = resized(NULL, CHUNK * sizeof *chunk);
        for (int i = 0; i < CHUNK; i++) {
            chunk[i].next = unused;
            unused = &chunk[i];
        }
    }
    Message *message = unused;
    unused = message->next;
    return message;
}

static void free_message(Message *message) {
    message->next = unused;
    unused = message;
}

static void append(Pending *pending, Message *message) {
    if (pending->count == pending->room) {
        pending->room = pending->room ? 2 * pending->room : 4;
        pending->items = resized(pending->items, (size_t)pending->room * sizeof *pending->items);
    }
    pending->items[pending->count++] = message;
}

static void settle(Pending *pending, const Message *message) {
    for (int i = 0; i < pending->count; i++) {
        if (pending->items[i] != message) continue;
        pending->items[i] = pending->items[--pending->count];
        return;
    }
    fail("a message is delivered twice");
}

/* Links and stations. */

static int64_t served(int64_t *free_at, int64_t length) {
    int64_t start = *free_at > now ? *free_at : now;
    *free_at = start + length;
    return start;
}

static int station_of(int host) { return host % STATIONS; }

static void acknowledge(int64_t *link, Kind kind, Message *message) {
    push(served(link, AIR_ACK) + AIR_ACK + AIR_LATENCY, kind, 0, message);
}

/* The oracle: vector clocks. */

static void observe_submission(Message *message) {
    uint16_t *own = clocks[message->source];
    if (own[message->source] == LARGEST_CLOCK) fail("a host sends more messages than a clock can count");
    message->number = ++own[message->source];
    memcpy(message->clock, own, sizeof message->clock);
    append(&due[message->destination], message);
}

static int64_t overtaken_by(const Message *message) {
    const Pending *others = &due[message->destination];
    for (int i = 0; i < others->count; i++) {
        const Message *other = others->items[i];
        if (other != message && message->clock[other->source] >= other->number) return other->record[MESSAGE];
    }
    return NEVER;
}

static void observe_delivery(Message *message) {
    uint16_t *own = clocks[message->destination];
    message->record[OVERTAKEN] = overtaken_by(message);
    count.causal_checks++;
    count.violations += message->record[OVERTAKEN] != NEVER;
    settle(&due[message->destination], message);
    for (int i = 0; i < HOSTS; i++) own[i] = own[i] > message->clock[i] ? own[i] : message->clock[i];
}

/* The ordering. */

static void stamp(Message *message) {
    int32_t *own = known[message->source];
    memcpy(message->versions, own, sizeof message->versions);
    message->version = ++own[message->source];
    message->record[HEADER_INTEGERS] = (int64_t)HOSTS * HOSTS;
    append(&unreleased[message->destination], message);
}

static int deliverable(const Message *message) {
    const Pending *others = &unreleased[message->destination];
    for (int i = 0; i < others->count; i++)
        if (message->versions[others->items[i]->source] >= others->items[i]->version) return 0;
    return 1;
}

static void merge(const Message *message) {
    int32_t *own = known[message->destination];
    for (int i = 0; i < HOSTS; i++) own[i] = own[i] > message->versions[i] ? own[i] : message->versions[i];
    own[message->source] = message->version > own[message->source] ? message->version : own[message->source];
}

static void release(Message *message) {
    settle(&unreleased[message->destination], message);
    merge(message);
    int64_t start = served(&down[message->destination], AIR_MESSAGE);
    message->record[DELIVERABLE] = message->record[IDEAL] = message->record[HANDED] = now;
    message->record[DOWNLINK_STARTED] = start;
    push(start + AIR_MESSAGE + AIR_LATENCY, AT_HOST, 0, message);
}

/* Release the waiting messages of a host, until none is deliverable. `arrived`: the message that has arrived now. */
static void release_waiting(int host, int64_t arrived) {
    Message **place = &waiting[host];
    while (*place) {
        Message *message = *place;
        if (!deliverable(message)) {
            place = &message->next;
            continue;
        }
        *place = message->next;
        message->record[WAITED_FOR] = arrived;
        release(message);
        place = &waiting[host];
    }
}

static void wait_in_order(Message *message) {
    count.waits++;
    message->next = waiting[message->destination];
    waiting[message->destination] = message;
}

/* The events. */

static Message *submitted(int host) {
    Message *message = new_message();
    message->source = host;
    message->destination = (int)(uniform() * (HOSTS - 1));
    message->destination += message->destination >= host;
    message->received = 0;
    for (int i = 0; i < FIELDS; i++) message->record[i] = NEVER;
    message->record[MESSAGE] = count.messages++;
    message->record[SOURCE] = host;
    message->record[DESTINATION] = message->destination;
    message->record[PAYLOAD_BYTES] = 100;
    message->record[SUBMITTED] = now;
    message->record[RETRANSMISSIONS] = message->record[FORWARDS] = message->record[HELD] = 0;
    message->record[SENDER_AWAY] = message->record[SENDER_WORK] = message->record[RECEIVER_WORK] = 0;
    message->record[STATIONS_PASSED] = 2;
    observe_submission(message);
    return message;
}

static void talk(int host) {
    if (!left) return;
    left--;
    Message *message = submitted(host);
    int64_t start = message->record[UPLINK_STARTED] = served(&up[host], AIR_MESSAGE);
    push(start + AIR_MESSAGE + AIR_LATENCY, AT_STATION, 0, message);
    push(now + exponential(PAUSE), TALK, host, NULL);
}

static void at_station(Message *message) {
    int station = station_of(message->source);
    message->record[ACCEPTED] = now;
    message->record[SOURCE_STATION] = station;
    acknowledge(&down[message->source], AT_SOURCE, message);
    stamp(message);
    message->record[STAMPED] = served(&busy[station], WORK);
    push(message->record[STAMPED] + WORK, STAMPING, 0, message);
}

static void stamped(Message *message) {
    int from = station_of(message->source), to = station_of(message->destination);
    message->record[SENT] = now;
    int64_t start = served(&wire[from][to], WIRE_MESSAGE);
    push(start + WIRE_MESSAGE + WIRE_LATENCY + exponential(JITTER), AT_OTHER_STATION, 0, message);
}

static void at_other_station(Message *message) {
    int station = station_of(message->destination);
    message->record[LANDED] = now;
    message->record[STATION] = station;
    push(served(&busy[station], WORK) + WORK, READ, 0, message);
}

static void read_header(Message *message) {
    message->record[FIRST] = message->record[ARRIVED] = now;
    if (ORDERED && !deliverable(message)) {
        wait_in_order(message);
        return;
    }
    release(message);
    if (waiting[message->destination]) release_waiting(message->destination, message->record[MESSAGE]);
}

static void at_host(Message *message) {
    int64_t *record = message->record;
    record[HEARD] = record[DELIVERED] = now;
    record[ARRIVED_AWAY] = record[HANDED_AWAY] = record[HEARD_AWAY] = 0;
    record[DELIVERABLE_AWAY] = record[IDEAL_AWAY] = record[DELIVERED_AWAY] = 0;
    observe_delivery(message);
    count.deliveries++;
    count.records += (int64_t)fwrite(record, sizeof message->record, 1, file);
    acknowledge(&up[message->destination], ACKNOWLEDGED, message);
}

/* Both acknowledgements end the use of a message, in either order. */
static void acknowledged(Message *message) {
    count.acknowledgements++;
    if (++message->received == 2) free_message(message);
}

static void happen(const Event *event) {
    switch (event->kind) {
    case TALK: talk(event->host); break;
    case AT_STATION: at_station(event->message); break;
    case STAMPING: stamped(event->message); break;
    case AT_OTHER_STATION: at_other_station(event->message); break;
    case READ: read_header(event->message); break;
    case AT_HOST: at_host(event->message); break;
    case AT_SOURCE:
    case ACKNOWLEDGED: acknowledged(event->message); break;
    }
}

static void run(void) {
    for (int host = 0; host < HOSTS; host++) push(exponential(PAUSE), TALK, host, NULL);
    for (; heap_count; count.events++) {
        Event event = pop();
        now = event.time;
        happen(&event);
    }
    if (fclose(file)) fail("the file cannot be written");
}

static void print_counts(double seconds) {
    printf("{\"messages\": %" PRId64 ", \"deliveries\": %" PRId64 ", ", count.messages, count.deliveries);
    printf("\"causal_checks\": %" PRId64 ", \"violations\": %" PRId64 ", ", count.causal_checks, count.violations);
    printf("\"waits\": %" PRId64 ", \"acknowledgements\": %" PRId64 ", ", count.waits, count.acknowledgements);
    printf("\"events\": %" PRId64 ", ", count.events);
    printf("\"bytes\": %" PRId64 ", \"seconds\": %.6f}\n", count.records * FIELDS * 8, seconds);
}

int main(int arguments, char **argument) {
    if (arguments != 3 || (left = atoll(argument[1])) < 1) fail("usage: limit MESSAGES FILE");
    if (!(file = fopen(argument[2], "wb"))) fail("the file cannot be written");
    clock_t start = clock();
    run();
    print_counts((double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
