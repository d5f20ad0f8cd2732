// call.js - calls one function of a candidate, and says on descriptor 3 what came of it
//
// Runs in the cage, before and around the candidate's code. The case is in .case (entry point, arguments, what to
// report); the value that is expected is not in the cage. The file is gone before the candidate's first statement.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const CANDIDATE = "candidate.js";
const BIG = "\u0001int";
const LEVELS_MAX = 200;
const { writeSync } = fs;
const exit = process.exit.bind(process);
const stringify = JSON.stringify;

class Unfit extends Error {}

// Integers that a number cannot hold come as their digits and become BigInts.
function whole(key, value) {
    const isBig = value !== null && typeof value === "object" && typeof value[BIG] === "string";
    return isBig ? BigInt(value[BIG]) : value;
}

function carryText(text) {
    if (/\p{Surrogate}/u.test(text)) throw new Unfit("text that is not valid Unicode");
    return stringify(text);
}

function carryNumber(number) {
    if (!Number.isFinite(number)) throw new Unfit("a number that is not finite");
    return Object.is(number, -0) ? "0" : String(number);
}

function carryList(list, level) {
    const parts = [];
    for (let i = 0; i < list.length; i++) parts.push(carry(list[i], level + 1)); // holes become null
    return "[" + parts.join(",") + "]";
}

function carryObject(object, level) {
    if (object instanceof Set || object instanceof Map || object instanceof WeakMap || object instanceof WeakSet)
        throw new Unfit("a " + object.constructor.name);
    if (Array.isArray(object) || (ArrayBuffer.isView(object) && !(object instanceof DataView)))
        return carryList(object, level);
    if (object instanceof Number || object instanceof String || object instanceof Boolean)
        return carry(object.valueOf(), level);
    if (typeof object.toJSON === "function") return carry(object.toJSON(), level + 1);
    const parts = [];
    for (const key of Object.keys(object))
        if (object[key] !== undefined) parts.push(carryText(key) + ":" + carry(object[key], level + 1));
    return "{" + parts.join(",") + "}";
}

// The JSON text of a plain value; everything else is refused with its reason.
function carry(value, level = 0) {
    if (level > LEVELS_MAX) throw new Unfit("more than " + LEVELS_MAX + " levels of lists");
    if (value === null || value === undefined) return "null";
    switch (typeof value) {
    case "boolean": return String(value);
    case "bigint": return String(value);
    case "number": return carryNumber(value);
    case "string": return carryText(value);
    case "object": return carryObject(value, level);
    default: throw new Unfit("a value of type " + typeof value);
    }
}

function makeSay(nonce) {
    return (word, payload = "") => {
        const text = word + " " + nonce + (payload ? " " + payload : "");
        let line = Buffer.from("\n" + text.replaceAll("\n", " ") + "\n"); // a new line, whatever the candidate left
        while (line.length > 0) line = line.subarray(writeSync(3, line));
    };
}

function reasonOf(error) {
    try {
        return String(error).slice(0, 160);
    } catch {
        return "an exception that has no text";
    }
}

function fail(say, word, error) {
    say(word, reasonOf(error));
    try {
        console.error(error);
    } catch {
        // the candidate's own way to be shown does not work
    }
    exit(1);
}

function pick(entryPoint, named, exported) {
    if (typeof named === "function") return named;
    if (typeof exported === "function") return exported;
    if (exported && typeof exported[entryPoint] === "function") return exported[entryPoint];
    if (exported && typeof exported.default === "function") return exported.default;
    return undefined;
}

// As a script of the common kind: its own names and module.exports. Returns a function that runs it.
function compileScript(source, entryPoint) {
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    const tail = "\n;return typeof " + entryPoint + " === 'undefined' ? undefined : " + entryPoint + ";";
    const body = vm.compileFunction(source + tail, names, { filename: CANDIDATE });
    return () => {
        const module = { exports: {} };
        const named = body.call(module.exports, module.exports, require, module, path.resolve(CANDIDATE), process.cwd());
        return pick(entryPoint, named, module.exports);
    };
}

// As a module with import and export.
async function loadModule(source, entryPoint) {
    const exported = await import("data:text/javascript;base64," + Buffer.from(source).toString("base64"));
    return pick(entryPoint, undefined, exported);
}

async function load(say, entryPoint) {
    const source = fs.readFileSync(CANDIDATE, "utf8").replace(/^\uFEFF/, "").replace(/^#!.*/, "");
    let run;
    try {
        run = compileScript(source, entryPoint);
    } catch (error) {
        if (!/^\s*(export|import)\b/m.test(source)) fail(say, "compile", error);
        try {
            return await loadModule(source, entryPoint);
        } catch (inner) {
            fail(say, inner instanceof SyntaxError ? "compile" : "raise", inner);
        }
    }
    return run();
}

function report(say, word, value) {
    let text;
    try {
        text = carry(value);
    } catch (error) {
        say("carry", "returned " + (error instanceof Unfit ? error.message : "what JSON cannot carry: " + reasonOf(error)));
        exit(1);
    }
    say(word, text);
}

async function main() {
    const given = JSON.parse(fs.readFileSync(".case", "utf8"), whole);
    fs.unlinkSync(".case");
    const say = makeSay(given.nonce);
    try {
        const solution = await load(say, given.entry_point);
        if (typeof solution !== "function") {
            say("missing", "there is no function " + given.entry_point);
            exit(1);
        }
        const value = await solution(...given.args);
        report(say, given.answer, given.answer === "input" ? given.args : value);
    } catch (error) {
        fail(say, "raise", error);
    }
}

main();
