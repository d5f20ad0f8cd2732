// call.js - calls one function of a candidate, and says on descriptor 3 what came of it
//
// Runs in the cage, before and around the candidate's code. The case is in .case (entry point, arguments, what to
// report); the value that is expected is not in the cage. The file is gone before the candidate's first statement.
// What is said here can be forged by the candidate; it is compared outside.
"use strict";

const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const vm = require("vm");
const { inspect, types } = require("util");

const CANDIDATE = "candidate.js", MODULE = "candidate.mjs";
const NAMED = "_fumehood_named"; // what a module exports for us
const LEVELS_MAX = 256;
const { writeSync, fstatSync } = fs;
const leave = process.reallyExit.bind(process);
const stringify = JSON.stringify;
const { getPrototypeOf, getOwnPropertySymbols, keys, is, hasOwn } = Object;
const { isArray } = Array;
const { isSafeInteger, isFinite } = Number;
const { isView } = ArrayBuffer;
const tagOf = Function.prototype.call.bind(Object.prototype.toString);

class Unfit extends Error {}

// ---- arguments: {"d": object} is an object, {"i": digits} an integer that a number cannot hold

function received(value) {
    if (value === null || typeof value !== "object") return value;
    if (isArray(value)) {
        for (let i = 0; i < value.length; i++) value[i] = received(value[i]);
        return value;
    }
    if (typeof value.i === "string") return BigInt(value.i);
    for (const key of keys(value.d)) value.d[key] = received(value.d[key]); // each is its own, "__proto__" too
    return value.d;
}

// ---- answers: plain values as they are, all else as an object with one key, which is its type

function carryText(text) {
    if (/\p{Surrogate}/u.test(text)) throw new Unfit("text that is not valid Unicode");
    return stringify(text);
}

// A number beyond the whole ones is told from a BigInt of the same digits: it has a point.
function carryNumber(number) {
    if (!isFinite(number)) throw new Unfit("a number that is not finite");
    if (isSafeInteger(number)) return is(number, -0) ? "-0.0" : "" + number;
    const text = "" + number;
    return /[.e]/.test(text) ? text : text + ".0";
}

// What JSON has no word for must not pass for untouched, where it is asked whether the input was changed.
let isExact = false;

function carryList(list, level) {
    if (isExact && keys(list).length !== list.length) throw new Unfit("a list with a hole or with further keys");
    const parts = [];
    for (let i = 0; i < list.length; i++) parts[i] = carry(list[i], level + 1); // holes become null
    return '{"l":[' + parts.join(",") + "]}";
}

// What people call it: its built-in type, or the class that made it.
function nameOf(object) {
    if (types.isProxy(object)) return "a Proxy";
    const tag = tagOf(object).slice(8, -1);
    if (tag !== "Object" || types.isArgumentsObject(object) || types.isModuleNamespaceObject(object))
        return "an object of type " + tag;
    const prototype = getPrototypeOf(object);
    const name = prototype && prototype.constructor && prototype.constructor.name;
    return typeof name === "string" && name !== "" && name !== "Object" ? "an object of class " + name
                                                                       : "an object with a prototype of its own";
}

// Made by {} or Object.create(null), in whatever context, and nothing else behind it.
function isPlain(object) {
    if (types.isProxy(object) || types.isExternal(object) || types.isModuleNamespaceObject(object)) return false;
    if (types.isMap(object) || types.isSet(object) || types.isWeakMap(object) || types.isWeakSet(object)) return false;
    if (types.isDate(object) || types.isRegExp(object) || types.isNativeError(object) || types.isPromise(object)) return false;
    if (types.isGeneratorObject(object) || types.isArgumentsObject(object) || types.isAnyArrayBuffer(object)) return false;
    if (types.isMapIterator(object) || types.isSetIterator(object) || isView(object)) return false;
    const prototype = getPrototypeOf(object);
    if (prototype === null) return true;
    return getPrototypeOf(prototype) === null && hasOwn(prototype, "isPrototypeOf") && tagOf(object) === "[object Object]";
}

function carryBoxed(object, level) {
    if (types.isNumberObject(object)) return carry(Number.prototype.valueOf.call(object), level);
    if (types.isStringObject(object)) return carry(String.prototype.valueOf.call(object), level);
    if (types.isBooleanObject(object)) return carry(Boolean.prototype.valueOf.call(object), level);
    throw new Unfit(nameOf(object));
}

function carryObject(object, level) {
    if (level >= LEVELS_MAX) throw new Unfit("more than " + LEVELS_MAX + " levels of lists");
    if (types.isProxy(object)) throw new Unfit("a Proxy");
    if (isArray(object) || types.isTypedArray(object)) return carryList(object, level);
    if (types.isBoxedPrimitive(object)) return carryBoxed(object, level);
    if (!isPlain(object)) throw new Unfit(nameOf(object));
    if (getOwnPropertySymbols(object).length > 0) throw new Unfit("an object with a Symbol as a key");
    const parts = [];
    for (const key of keys(object)) {
        const value = object[key];
        if (value !== undefined || isExact) parts[parts.length] = "[" + carryText(key) + "," + carry(value, level + 1) + "]";
    }
    return '{"d":[' + parts.join(",") + "]}";
}

function carry(value, level = 0) {
    if (value === undefined && isExact) throw new Unfit("undefined");
    if (value === null || value === undefined) return "null";
    switch (typeof value) {
    case "boolean":
    case "bigint": return "" + value;
    case "number": return carryNumber(value);
    case "string": return carryText(value);
    case "object": return carryObject(value, level);
    default: throw new Unfit("a value of type " + typeof value);
    }
}

// ---- the one way to speak, and the last thing that happens: an answered call is answered

// Descriptors 2 and 1 serve where the candidate has closed 3 or put something else there.
function makeSay(nonce) {
    const which = fd => {
        const stat = fstatSync(fd);
        return stat.dev + ":" + stat.ino;
    };
    const ways = [3, 2, 1].map(fd => ({ fd, identity: which(fd) }));

    const put = (fd, line) => {
        while (line.length > 0)
            try {
                line = line.subarray(writeSync(fd, line));
            } catch (error) {
                if (error.code !== "EAGAIN") throw error;
            }
    };
    return (word, payload, status) => {
        // a new line, whatever the candidate left there
        const line = Buffer.from("\n" + word + " " + nonce + " " + payload.replaceAll("\n", " ") + "\n");
        for (const way of ways)
            try {
                if (which(way.fd) !== way.identity) continue;
                put(way.fd, line);
                break;
            } catch {
                // it was closed
            }
        leave(status);
    };
}

function reasonOf(error) {
    try {
        const text = types.isNativeError(error) ? String(error) : "threw " + inspect(error, { breakLength: Infinity });
        return text.slice(0, 160);
    } catch {
        return "an exception that has no text";
    }
}

function fail(say, word, error) {
    try {
        console.error(error);
    } catch {
        // the candidate's own way to be shown does not work
    }
    say(word, reasonOf(error), 1);
}

function pick(entryPoint, named, exported) {
    if (typeof named === "function") return named;
    if (typeof exported === "function") return exported;
    if (exported && typeof exported[entryPoint] === "function") return exported[entryPoint];
    if (exported && typeof exported.default === "function") return exported.default;
    return undefined;
}

// What stands behind the candidate's last line: its own name, whether it is exported or not.
const nameIn = entryPoint => "typeof " + entryPoint + " === 'undefined' ? undefined : " + entryPoint + ";";

// As a script of the common kind: its own names and module.exports. Returns a function that runs it.
function compileScript(source, entryPoint) {
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    const ownLoader = vm.constants && vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER; // where Node.js has it, it has to be this
    const body = vm.compileFunction(source + "\n;return " + nameIn(entryPoint), names, {
        filename: CANDIDATE,
        importModuleDynamically: ownLoader || (specifier => import(specifier)),
    });
    return () => {
        const module = { exports: {} };
        const named = body.call(module.exports, module.exports, require, module, path.resolve(CANDIDATE), process.cwd());
        return pick(entryPoint, named, module.exports);
    };
}

// As a module with import and export: of a file, so that it finds itself and what lies beside it.
async function loadModule(source, entryPoint) {
    fs.writeFileSync(MODULE, source + "\n;export const " + NAMED + " = " + nameIn(entryPoint));
    const exported = await import(pathToFileURL(MODULE));
    return pick(entryPoint, exported[NAMED], exported);
}

// What is no script is a module, where it is one: by import and export, or by an await that is in no function.
async function load(say, entryPoint) {
    const source = fs.readFileSync(CANDIDATE, "utf8").replace(/^\uFEFF/, "").replace(/^#!.*/, "");
    let run;
    try {
        run = compileScript(source, entryPoint);
    } catch (error) {
        try {
            return await loadModule(source, entryPoint);
        } catch (inner) {
            const isNone = inner instanceof SyntaxError;
            const isMeant = !isNone || /^\s*(export|import)\b/m.test(source);
            fail(say, isNone ? "compile" : "raise", isMeant ? inner : error);
        }
    }
    return run();
}

// What there is instead of a function that is missing, by the look of the text: its names cannot be asked for.
function othersIn() {
    const forms = [
        /^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b[\s*]*([\w$]+)/gm,
        /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/gm,
        /^(?:module\.)?exports\.([\w$]+)\s*=/gm,
        /^(class\s+[\w$]+)/gm,
    ];
    try {
        const source = fs.readFileSync(CANDIDATE, "utf8").slice(0, 65536);
        const found = forms.flatMap(form => [...source.matchAll(form)]).sort((a, b) => a.index - b.index);
        const text = [...new Set(found.map(match => match[1]))].join(", ");
        if (text === "") return ", nor any other";
        return "; there are: " + (text.length <= 100 ? text : text.slice(0, 97) + "...");
    } catch {
        return "";
    }
}

function report(say, word, value) {
    const what = word === "input" ? "left in its input " : "returned ";
    isExact = word === "input";
    let text;
    try {
        text = carry(value);
    } catch (error) {
        say("carry", what + (error instanceof Unfit ? error.message : "what cannot travel: " + reasonOf(error)), 1);
    }
    say(word, text, 0);
}

async function main() {
    const given = JSON.parse(fs.readFileSync(".case", "utf8"));
    const args = received(given.args);
    fs.unlinkSync(".case");
    const say = makeSay(given.nonce);
    try {
        const solution = await load(say, given.entry_point);
        if (typeof solution !== "function") say("missing", "there is no function " + given.entry_point + othersIn(), 1);
        const value = await solution(...args);
        report(say, given.answer, given.answer === "input" ? args : value);
    } catch (error) {
        fail(say, "raise", error);
    }
}

main();
